import type pg from 'pg'
import { notFound } from '../../catalogue/problems.ts'
import type { SecretBox, SecretKeys } from '../../platform/crypto/secret-box.ts'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { MINUTE_MS } from '../../platform/durations.ts'
import { enqueueAll } from '../../platform/jobs/enqueue.ts'
import { networkOf } from '../auth/client-ip.ts'
import { fieldsNamed } from '../custom-fields/fields-named.ts'
import { isOriginAllowed } from '../trackers/allowed-origins.ts'
import { VISITOR_ID_PATTERN } from '../visitors/schemas.ts'
import { ANSWER_FORM_SUBMISSION } from './answer-form-submission.ts'
import { judgeSolution } from './challenge.ts'
import { cutIp } from './cut-ip.ts'
import type { FoundForm } from './find-form.ts'
import { customKeys } from './form-content.ts'
import { contentOfVersion, holdForm } from './form-queries.ts'
import { isCaught } from './honeypot.ts'
import {
  addressHash,
  type Budget,
  networkBudget,
  type Subjects,
  slowBudget,
  solutionBudget,
  spendBudgets,
} from './mail-budgets.ts'
import { contentOf } from './manage-forms.ts'
import { type FieldFault, type FilledIn, readValues } from './read-values.ts'
import { judgeRenderToken } from './render-token.ts'
import type { FormContent } from './schemas.ts'
import { countOutcome, insertSubmission, newSubmissionId } from './submission-queries.ts'
import { submissionRow } from './submission-row.ts'

export type TakeDeps = {
  sql: pg.Pool
  keys: SecretKeys
  secrets: SecretBox
  subjects: Subjects
  now: () => number
}

/** The page that a browser says it is on; one of our own may have any form. */
export type AskingPage = { origin: string | undefined; isOwn: boolean }

/** A filled-in form as it came from a browser. */
export type Arrival = {
  /** Everything that came, by name. */
  given: Readonly<Record<string, unknown>>
  ip: string
  page: AskingPage
  /** Whether it is a plain form of a browser, which may be without a script. */
  isPlain: boolean
  /** Whether the browser says of itself that nobody sits before it. */
  isHeadless: boolean
}

export type Taken =
  /** The form was deleted since it was looked up. */
  | { outcome: 'gone' }
  /** Also for whatever is not told: who fell into the trap, or has an address that is not asked. */
  | { outcome: 'taken' }
  | { outcome: 'origin' }
  /** The form was not shown by us lately, or a moment ago only. */
  | { outcome: 'not_shown'; isEarly: boolean }
  /** The work was not done, or was done for something else or before. */
  | { outcome: 'challenge' }
  | { outcome: 'faults'; faults: readonly FieldFault[] }
  | { outcome: 'crowd'; retryAfterSeconds: number }

/**
 * Takes in what a browser sent, through one door or another: each check stands before all of them. Nothing of it depends on
 * whose address was filled in; a job looks at that later (answer-form-submission.ts).
 */
export async function takeArrival(deps: TakeDeps, form: FoundForm, arrival: Arrival): Promise<Taken> {
  const { given, ip, page } = arrival
  if (!mayShow(form, page)) return count(deps, form, { as: 'origin', taken: { outcome: 'origin' } })
  const shown = judgeRenderToken(deps.keys, given.renderToken, { formKey: form.key, nowMs: deps.now() })
  if (shown.age !== 'good') {
    return count(deps, form, { as: 'not_shown', taken: { outcome: 'not_shown', isEarly: shown.age === 'early' } })
  }
  if (isCaught(form.key, given)) return count(deps, form, { as: 'honeypot', taken: { outcome: 'taken' } })
  return inTransaction(deps.sql, form.workspaceId, async (tx) => {
    const { workspaceId, id: formId } = form
    if (!(await holdForm(tx, workspaceId, formId))) return { outcome: 'gone' } as const
    const json = await contentOfVersion(tx, workspaceId, { formId, version: shown.version })
    const content = json === undefined ? form.content : contentOf(json)
    const read = readValues(content.fields, await typesOf(tx, workspaceId, content), given)
    if (read.faults.length > 0) return { outcome: 'faults', faults: read.faults } as const
    const stop = async <S extends Taken>(taken: S): Promise<S> => {
      await countOutcome(tx, workspaceId, { formId, outcome: taken.outcome, nowMs: deps.now() })
      return taken
    }
    const work = judgeWork(deps, form, arrival)
    if (
      work.state === 'missing' ||
      (work.mark && (await isSpent(tx, deps, solutionBudget(deps.subjects, work.mark))))
    ) {
      return stop({ outcome: 'challenge' })
    }
    const network = networkOf(ip)
    const budgets = [networkBudget(deps.subjects, network)]
    if (work.state === 'slow') budgets.push(slowBudget(deps.subjects, network))
    for (const budget of budgets) {
      const retryAfterSeconds = await isSpent(tx, deps, budget)
      if (retryAfterSeconds !== undefined) return stop({ outcome: 'crowd', retryAfterSeconds })
    }
    const delayMs = work.state === 'slow' ? SLOW_MS : 0
    const { version } = shown
    const origin = page.origin ?? null
    await keep(tx, deps, { form, version, values: read.values, ip, origin, visitorId: visitorOf(given), delayMs })
    return { outcome: 'taken' } as const
  })
}

/** The visitor id that a page may add; anything else in its place is not looked at. */
function visitorOf({ visitorId }: Arrival['given']): string | null {
  return typeof visitorId === 'string' && IS_VISITOR.test(visitorId) ? visitorId : null
}

const IS_VISITOR = new RegExp(VISITOR_ID_PATTERN)

/** The mail of a submission without work, or from what looks like a program, goes this much later. */
const SLOW_MS = 10 * MINUTE_MS

type Work = { state: 'done' | 'slow' | 'missing'; mark?: string }

/** Only our own page, where a browser without a script may stand, does without the work; slowly, and once a day a network. */
function judgeWork(deps: TakeDeps, form: FoundForm, { given, page, isPlain, isHeadless }: Arrival): Work {
  const done = isHeadless ? 'slow' : 'done'
  if (form.content.challenge === 'off') return { state: done }
  if (given.altcha === undefined || given.altcha === '') {
    return { state: isPlain && page.isOwn ? 'slow' : 'missing' }
  }
  const about = { formKey: form.key, renderToken: String(given.renderToken), nowMs: deps.now() }
  const mark = judgeSolution(deps.keys, given.altcha, about)
  return mark === undefined ? { state: 'missing' } : { state: done, mark }
}

/** Uses a budget, and answers in how many seconds it begins anew if that was once too often. */
async function isSpent(tx: Transaction, deps: TakeDeps, budget: Budget): Promise<number | undefined> {
  const [use] = await spendBudgets(tx, [budget], deps.now())
  return use!.used > budget.limit ? use!.endsInSeconds : undefined
}

/**
 * Takes in what the workspace's own server sends on somebody's behalf, in the caller's transaction. It judges by itself who
 * may fill in its forms; we judge who is mailed. Throws 404 for a form that was deleted since it was looked up.
 */
export async function takeOwn(
  tx: Transaction,
  deps: TakeDeps,
  { form, given }: { form: FoundForm; given: Readonly<Record<string, unknown>> },
): Promise<readonly FieldFault[]> {
  if (!(await holdForm(tx, form.workspaceId, form.id))) throw notFound()
  const types = await typesOf(tx, form.workspaceId, form.content)
  const { values, faults } = readValues(form.content.fields, types, given)
  if (faults.length === 0)
    await keep(tx, deps, { form, version: form.version, values, ip: null, origin: null, visitorId: null, delayMs: 0 })
  return faults
}

export function mayShow(form: FoundForm, { origin, isOwn }: AskingPage): boolean {
  return isOwn || isOriginAllowed(form.content.allowedOrigins, origin)
}

function count(
  deps: TakeDeps,
  { workspaceId, id: formId }: FoundForm,
  { as: outcome, taken }: { as: string; taken: Taken },
): Promise<Taken> {
  return inTransaction(deps.sql, workspaceId, async (tx) => {
    if (!(await holdForm(tx, workspaceId, formId))) return { outcome: 'gone' }
    await countOutcome(tx, workspaceId, { formId, outcome, nowMs: deps.now() })
    return taken
  })
}

async function typesOf(tx: Transaction, workspaceId: string, { fields }: FormContent) {
  const keys = customKeys(fields)
  const rules = await fieldsNamed(tx, workspaceId, keys)
  return new Map([...rules].filter(([, { declared }]) => declared).map(([key, { type }]) => [key, type]))
}

type Kept = {
  form: FoundForm
  version: number
  values: FilledIn
  ip: string | null
  origin: string | null
  visitorId: string | null
  delayMs: number
}

async function keep(
  tx: Transaction,
  deps: TakeDeps,
  { form, version, values, ip, origin, visitorId, delayMs }: Kept,
): Promise<void> {
  const { workspaceId, id: formId } = form
  const nowMs = deps.now()
  const id = await newSubmissionId(tx)
  await insertSubmission(tx, workspaceId, {
    ...{ id, formId, version, visitorId, origin: origin?.slice(0, ORIGIN_CHARS_MAX) ?? null },
    content: deps.secrets.seal(JSON.stringify(values), submissionRow(workspaceId, id)),
    addressHash: addressHash(deps.subjects, workspaceId, values.email),
    ip: ip === null ? null : cutIp(ip),
    createdAt: new Date(nowMs).toISOString(),
  })
  await countOutcome(tx, workspaceId, { formId, outcome: 'submitted', nowMs })
  const payload = { workspaceId, submissionId: id }
  await enqueueAll(tx, ANSWER_FORM_SUBMISSION, [{ payload, ...(delayMs === 0 ? {} : { delayMs }) }])
}

const ORIGIN_CHARS_MAX = 300
