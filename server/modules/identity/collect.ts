import { identityNotProven } from '../../catalogue/problems.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { writtenBytes } from '../../platform/json/written-bytes.ts'
import { COMMON_PROBLEMS, Problem } from '../../platform/problem.ts'
import type { Limiter } from '../../platform/rate-limit/limiter.ts'
import { clientIp } from '../auth/client-ip.ts'
import type { Aliases } from '../contacts/aliases.ts'
import { COLLECT_DOOR, routesOf } from '../door.ts'
import type { FoundTracker } from '../trackers/find-tracker.ts'
import { collectRoutes, trackerOf } from '../trackers/guard-collect.ts'
import type { TrackerTally } from '../trackers/tally-trackers.ts'
import type { LinkKeys } from '../tracking/link-keys.ts'
import { browserSigns, dropReason } from '../visitors/drop-browser.ts'
import { bindLanding } from './bind-landing.ts'
import { bindIdentity, claimIdentity, type IdentifyDeps } from './identify.ts'
import { messageOfLanding } from './land-visitor.ts'
import { limitIdentities } from './limit-identities.ts'
import { identitySecret, type KeyDeps } from './manage-identity-keys.ts'
import { readIdentityToken, type SignedStatement } from './read-identity-token.ts'
import { readStatement, TRAITS_BYTES_MAX } from './read-statement.ts'
import { CollectIdentifyBody, Identified } from './schemas.ts'

export type IdentityCollectDeps = IdentifyDeps &
  KeyDeps & {
    tally: TrackerTally
    linkKeys: LinkKeys
    isHttps: boolean
    /** Requests a minute of one client address; 0 is without limit. */
    limit: number
    addresses: Limiter
  }

/** Says who is before a browser. */
export function identityCollect(app: HttpApp, deps: IdentityCollectDeps): void {
  collectRoutes(app, (scope) => {
    const routes = routesOf(scope, COLLECT_DOOR, { path: '/identify', family: 'Identify' })

    routes.post('', 'create', {
      needs: 'tracker',
      summary: 'Say who a visitor is',
      description:
        'By a token that your server has signed, or as a claim, which changes nobody. Answers the visitor to go on with.',
      body: CollectIdentifyBody,
      answers: { 200: Identified },
      problems: [422, 429],
      async handle(request) {
        limitIdentities(deps, clientIp(request))
        const tracker = trackerOf(request)
        const signs = browserSigns(request.headers, { expectsMetadata: deps.isHttps || request.protocol === 'https' })
        const { body } = request
        const reason = dropReason(tracker, signs, body.consent ?? tracker.consentMode)
        if (reason === 'bot' || reason === 'paused') return { visitorId: body.visitorId }
        // A page hears of its mistakes whatever becomes of what it says.
        const statement = body.link ? undefined : await readIdentity(deps, tracker, body)
        if (reason !== null || tracker.consentMode === 'cookieless') return { visitorId: body.visitorId }
        return { visitorId: await identify(deps, tracker, { body, statement }) }
      },
    })
  })
}

type Statement =
  | { isProven: false; statement: { aliases: Aliases; traits: Record<string, unknown> } }
  | { isProven: true; statement: SignedStatement; aliases: Aliases }

/** The statement of who somebody is. Throws 403 for one that is not proven where it has to be, 422 for what names nobody. */
async function readIdentity(
  deps: IdentityCollectDeps,
  tracker: FoundTracker,
  body: CollectIdentifyBody,
): Promise<Statement> {
  const { workspaceId, id: trackerId, keys } = tracker
  const { visitorId, token } = body
  if (!token) {
    if (tracker.identify === 'signed') throw identityNotProven()
    const aliases = readStatement(body)
    const traits = body.traits ?? {}
    if (writtenBytes(JSON.stringify(traits)) > TRAITS_BYTES_MAX) throw new Problem(COMMON_PROBLEMS.bodyTooLarge)
    return { isProven: false, statement: { aliases, traits } }
  }
  const statement = await readIdentityToken(token, {
    ...{ keys, visitorId, nowSeconds: Date.now() / 1_000 },
    secretOf: (kid) => identitySecret(deps, workspaceId, { trackerId, kid }),
  })
  if (statement === undefined) throw identityNotProven()
  const { subjectId, email, phone } = statement
  return { isProven: true, statement, aliases: readStatement({ subjectId, email, phone }) }
}

type Said = { body: CollectIdentifyBody; statement: Statement | undefined }

async function identify(
  deps: IdentityCollectDeps,
  tracker: FoundTracker,
  { body, statement: said }: Said,
): Promise<string> {
  const { workspaceId } = tracker
  const { visitorId, link } = body
  if (said === undefined) {
    const messageId =
      tracker.linkIdentity && link ? await messageOfLanding({ keys: deps.linkKeys }, workspaceId, link) : undefined
    if (messageId !== undefined) await bindLanding(deps, workspaceId, { visitorId, messageId })
    return visitorId
  }
  if (!said.isProven) {
    deps.tally.note(tracker, 'identified_unsigned', 1)
    return claimIdentity(deps, workspaceId, { visitorId, statement: said.statement })
  }
  const { statement, aliases } = said
  const bound = await bindIdentity(deps, workspaceId, { visitorId, statement, autoMerge: tracker.autoMerge, aliases })
  deps.tally.note(tracker, 'identified_signed', 1)
  return bound
}
