import { HTTP_PROBLEMS } from '../platform/http/http-problems.ts'
import { type FieldError, Problem, type ProblemKind, type Use } from '../platform/problem.ts'

/** Every problem this service answers with. A code is stable for ever: clients branch on it. */
export const PROBLEMS = {
  ...HTTP_PROBLEMS,
  badCursor: { code: 'bad-cursor', status: 400, title: 'The cursor is not one of ours' },
  noCredentials: { code: 'no-credentials', status: 401, title: 'A bearer token is required' },
  invalidToken: { code: 'invalid-token', status: 401, title: 'The token is unknown, expired or revoked' },
  noSession: { code: 'no-session', status: 401, title: 'A login is required' },
  invalidCollectKey: { code: 'invalid-collect-key', status: 401, title: 'The key is not one of a tracker' },
  wrongCredentials: { code: 'wrong-credentials', status: 401, title: 'The email or the password is wrong' },
  wrongCode: { code: 'wrong-code', status: 401, title: 'The code is wrong or was used' },
  loginExpired: { code: 'login-expired', status: 401, title: 'The login took too long or too many tries' },
  notInEdition: { code: 'not-in-edition', status: 402, title: 'This edition does not include the feature' },
  missingScope: { code: 'missing-scope', status: 403, title: 'The token lacks a scope' },
  missingPermission: { code: 'missing-permission', status: 403, title: 'Your role does not allow this' },
  roleAboveOwn: { code: 'role-above-own', status: 403, title: 'The role is above your own' },
  factorNeeded: { code: 'second-factor-needed', status: 403, title: 'The workspace asks for a second factor' },
  otherAccount: { code: 'other-account', status: 403, title: 'This is for another account than the one logged in' },
  crossSite: { code: 'cross-site-request', status: 403, title: 'The request comes from another site' },
  originNotAllowed: { code: 'origin-not-allowed', status: 403, title: 'Pages of this origin may not use the key' },
  identityNotProven: { code: 'identity-not-proven', status: 403, title: 'Nobody has proven who this is' },
  hookRefused: { code: 'hook-refused', status: 403, title: 'What was sent to the hook is not proven' },
  confirmationFailed: {
    code: 'confirmation-failed',
    status: 502,
    title: 'The subscription could not be confirmed',
  },
  conflict: { code: 'conflict', status: 409, title: 'Another one already has this value' },
  inUse: { code: 'in-use', status: 409, title: 'It is in use' },
  wrongStatus: { code: 'wrong-status', status: 409, title: 'Its status does not allow this' },
  audienceChanged: { code: 'audience-changed', status: 409, title: 'The audience is not as large as expected' },
  planChanged: { code: 'plan-changed', status: 409, title: 'It is not what was asked for any more' },
  scenariosFailed: { code: 'scenarios-failed', status: 409, title: 'Scenarios of the automation fail' },
  lastOwner: { code: 'last-owner', status: 409, title: 'The workspace would have no owner' },
  limitReached: { code: 'limit-reached', status: 409, title: 'The workspace has as many as it may have' },
  requestInFlight: {
    code: 'request-in-flight',
    status: 409,
    title: 'The same Idempotency-Key is still being worked on',
  },
  answerLost: {
    code: 'idempotent-answer-lost',
    status: 409,
    title: 'It took effect, but its answer was lost',
  },
  unprocessable: { code: 'unprocessable', status: 422, title: 'The request breaks a rule' },
  challengeFailed: { code: 'challenge-failed', status: 422, title: 'The form was not filled in as people do' },
  keyReused: { code: 'idempotency-key-reused', status: 422, title: 'The Idempotency-Key was used with another body' },
} as const satisfies Record<string, ProblemKind>

export { overloaded } from '../platform/http/http-problems.ts'
export { invalid, notFound } from '../platform/problem.ts'

export const badCursor = () =>
  new Problem(PROBLEMS.badCursor, { errors: [{ pointer: '/cursor', detail: 'is not a cursor of this list' }] })

/** RFC 6750 section 3: a request without credentials is told the scheme, and `more` of where credentials are to be had. */
export const noCredentials = (more = '') =>
  new Problem(PROBLEMS.noCredentials, { headers: { 'www-authenticate': `Bearer realm="postroom"${more}` } })

/** One answer for unknown, expired and revoked, so that it says nothing about the token. */
export const invalidToken = (more = '') =>
  new Problem(PROBLEMS.invalidToken, {
    headers: { 'www-authenticate': `Bearer realm="postroom", error="invalid_token"${more}` },
  })

/** The scheme in the challenge is our own, so that a browser opens no password window of its own. */
export const noSession = () =>
  new Problem(PROBLEMS.noSession, { headers: { 'www-authenticate': 'Session realm="postroom"' } })

/** One answer for an unknown key, an expired one and none. */
export const invalidCollectKey = () =>
  new Problem(PROBLEMS.invalidCollectKey, { headers: { 'www-authenticate': 'CollectKey realm="postroom"' } })

export const originNotAllowed = () => new Problem(PROBLEMS.originNotAllowed)

export const wrongCredentials = () =>
  new Problem(PROBLEMS.wrongCredentials, { headers: { 'www-authenticate': 'Session realm="postroom"' } })

export const wrongCode = () =>
  new Problem(PROBLEMS.wrongCode, { headers: { 'www-authenticate': 'Session realm="postroom"' } })

export const loginExpired = () =>
  new Problem(PROBLEMS.loginExpired, {
    detail: 'Begin again with email and password.',
    headers: { 'www-authenticate': 'Session realm="postroom"' },
  })

export const notInEdition = (feature: string) =>
  new Problem(PROBLEMS.notInEdition, { detail: `${feature} needs the enterprise edition.` })

export const missingScope = (scope: string) =>
  new Problem(PROBLEMS.missingScope, {
    detail: `The token needs the scope ${scope}.`,
    headers: { 'www-authenticate': `Bearer realm="postroom", error="insufficient_scope", scope="${scope}"` },
  })

export const missingPermission = (permission: string) =>
  new Problem(PROBLEMS.missingPermission, { detail: `Your role does not include ${permission}.` })

export const roleAboveOwn = (role: string) =>
  new Problem(PROBLEMS.roleAboveOwn, { detail: `Only somebody who is ${role} or above may do this.` })

export const factorNeeded = () =>
  new Problem(PROBLEMS.factorNeeded, { detail: 'Set up a second factor for your account, then come back.' })

export const otherAccount = (detail: string) => new Problem(PROBLEMS.otherAccount, { detail })

/** One answer for whatever a token lacks, and for none where one is needed. */
export const identityNotProven = () => new Problem(PROBLEMS.identityNotProven)

export const hookRefused = (detail: string) => new Problem(PROBLEMS.hookRefused, { detail })

export const confirmationFailed = () => new Problem(PROBLEMS.confirmationFailed)

export const lastOwner = () =>
  new Problem(PROBLEMS.lastOwner, { detail: 'Make somebody else an owner of the workspace first.' })

export const wrongStatus = (detail: string) => new Problem(PROBLEMS.wrongStatus, { detail })

/** 409 naming those that fail. */
export const scenariosFailed = (errors: readonly FieldError[], count: number) =>
  new Problem(PROBLEMS.scenariosFailed, { detail: `Of its scenarios ${count} fail.`, errors, count })

/** 409 of an approval: the one that asked for it has to ask anew. */
export const planChanged = (detail: string) => new Problem(PROBLEMS.planChanged, { detail })

/** 409 with the size that the audience has now; null: it could not be counted in time. */
export const audienceChanged = (count: number | null) =>
  new Problem(PROBLEMS.audienceChanged, {
    detail:
      count === null
        ? 'Its audience could not be counted in time; without expectedCount it is sent all the same.'
        : `Its audience has ${count} people now.`,
    errors: [{ pointer: '/expectedCount', detail: count === null ? 'cannot be checked' : `is ${count} now` }],
    ...(count === null ? {} : { count }),
  })

export const limitReached = (detail: string) => new Problem(PROBLEMS.limitReached, { detail })

export const challengeFailed = (detail: string) => new Problem(PROBLEMS.challengeFailed, { detail })

export const crossSite = () => new Problem(PROBLEMS.crossSite)

/** 409 for a unique clash: the field at fault, as a body pointer without the slash. */
export const conflict = (field: string, detail = 'is already taken') =>
  new Problem(PROBLEMS.conflict, { detail: `${field} ${detail}`, errors: [{ pointer: `/${field}`, detail }] })

/** How many of those that use it a refusal names in words. */
const USES_NAMED_MAX = 5

/** 409 for what is not deleted while others need it: it names them. */
export function inUse(usedBy: readonly Use[]): Problem {
  const named = usedBy.slice(0, USES_NAMED_MAX).map(({ type, id, name }) => `the ${type} “${name}” (${id})`)
  const more = usedBy.length > USES_NAMED_MAX ? ` and ${usedBy.length - USES_NAMED_MAX} more` : ''
  return new Problem(PROBLEMS.inUse, { detail: `It is used by ${named.join(', ')}${more}.`, usedBy })
}

export const requestInFlight = (retryAfterSeconds: number) =>
  new Problem(PROBLEMS.requestInFlight, { headers: { 'retry-after': String(Math.ceil(retryAfterSeconds)) } })

/** 409 for a repeat that must not be carried out again; says what the first request was about. */
export const answerLost = (targetType: string | null, targetId: string | null) =>
  new Problem(PROBLEMS.answerLost, {
    detail:
      targetType === null
        ? 'The request was carried out and is not carried out again.'
        : `The request took effect on ${targetType}${targetId === null ? '' : ` ${targetId}`} and is not carried out again.`,
  })

/** 422: the shape is right, but a rule of the domain is broken or a reference is unknown. */
export const unprocessable = (errors: readonly FieldError[]) =>
  new Problem(PROBLEMS.unprocessable, {
    errors,
    ...(errors[0] ? { detail: `${errors[0].pointer} ${errors[0].detail}`.trimStart() } : {}),
  })

export const keyReused = () => new Problem(PROBLEMS.keyReused)

export const tooManyRequests = (retryAfterSeconds: number) =>
  new Problem(PROBLEMS.tooManyRequests, { headers: { 'retry-after': String(Math.ceil(retryAfterSeconds)) } })

export const databaseAway = (cause?: unknown) =>
  new Problem(PROBLEMS.databaseAway, { headers: { 'retry-after': '1' }, cause })
