import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { invalid, notFound } from '../../catalogue/problems.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { isPlainObject } from '../../platform/json/plain-object.ts'
import { closed } from '../../platform/schema/schemas.ts'
import { clientIp } from '../auth/client-ip.ts'
import { COLLECT_DOOR, routesOf } from '../door.ts'
import type { FoundTracker } from '../trackers/find-tracker.ts'
import { collectRoutes, trackerOf } from '../trackers/guard-collect.ts'
import { browserSigns } from '../visitors/drop-browser.ts'
import { typeOf } from './read-message.ts'
import { SegmentAnswer, SegmentBody } from './schemas.ts'
import { type SegmentDeps, type SegmentSender, takeMessages } from './take-messages.ts'

export type SegmentCollectDeps = SegmentDeps & {
  /** Whether browsers trust this address, and so say how they fetch. */
  isHttps: boolean
  /** Counts messages that say who somebody is. Throws 429 for a page's address, or the programs of a tracker, that send too many. */
  limitIdentity: (by: IdentitySource, times: number) => void
}

/** A page, by its address, is one person; programs of a workspace speak of all of its people. */
export type IdentitySource = { ip: string } | { tracker: Pick<FoundTracker, 'workspaceId' | 'id'> }

/** Segment's own limit of a batch is by bytes, as ours is; their libraries send up to a hundred. */
const MESSAGES_MAX = 500

/**
 * The tracking API of Segment, for their libraries: a host is changed, and nothing else. The write key is the public key of a tracker, in
 * the body or as the name of a login, and proves as little here.
 */
export function segmentCollect(app: HttpApp, deps: SegmentCollectDeps): void {
  collectRoutes(app, (scope) => {
    const routes = routesOf(scope, COLLECT_DOOR, { path: '/segment/v1', family: 'Segment' })
    const declare = (path: 'batch' | 'track' | 'identify' | 'page', summary: string) =>
      routes.post(`/${path}`, path, {
        needs: 'tracker',
        summary,
        description: 'As libraries of Segment send it. 200 means that all that was taken is durable.',
        body: SegmentBody,
        answers: { 200: SegmentAnswer },
        problems: [422, 429],
        commitsAlways: true,
        async handle(request) {
          const messages = path === 'batch' ? batchOf(request.body) : [{ ...request.body, type: path }]
          return take(deps, request, messages)
        },
      })
    declare('batch', 'Record messages of a Segment library')
    declare('track', 'Record an event of a Segment library')
    declare('identify', 'Say who somebody is, as Segment libraries do')
    declare('page', 'Record a page view of a Segment library')
    // Their library for browsers goes by the first letter, and has kinds that we have no place for.
    const params = closed({ kind: Type.String() })
    const schema = { hide: true, operationId: 'CollectSegment_short', params, body: SegmentBody }
    scope.post('/collect/segment/v1/:kind', { schema, config: { collect: 'tracker' } }, async (request) => {
      const { kind } = request.params as { kind: string }
      const body = request.body as Record<string, unknown>
      if (kind === 'b') return take(deps, request, batchOf(body))
      const type = KINDS.get(kind)
      if (type === undefined) throw notFound()
      return take(deps, request, [{ ...body, type }])
    })
  })
}

const KINDS = new Map(['track', 'identify', 'page', 'screen', 'group', 'alias'].map((type) => [type[0], type]))

async function take(
  deps: SegmentCollectDeps,
  request: FastifyRequest,
  messages: readonly Record<string, unknown>[],
): Promise<Static<typeof SegmentAnswer>> {
  const tracker = trackerOf(request)
  const sender = senderOf(deps, request)
  const identities = messages.filter((message) => typeOf(message) === 'identify').length
  deps.limitIdentity(sender.isPage ? { ip: clientIp(request) } : { tracker }, identities)
  const { sentAt } = request.body as Record<string, unknown>
  return { success: true, rejected: await takeMessages(deps, tracker, { messages, sentAt, sender }) }
}

function batchOf({ batch }: Record<string, unknown>): readonly Record<string, unknown>[] {
  if (!Array.isArray(batch)) throw invalid([{ pointer: '/batch', detail: 'must be a list of messages' }])
  if (batch.length > MESSAGES_MAX) {
    throw invalid([{ pointer: '/batch', detail: `must not have more than ${MESSAGES_MAX} items` }])
  }
  return batch.map((message) => (isPlainObject(message) ? message : {}))
}

/**
 * A page, which always says its origin, is judged as a browser. A program is one of the workspace's own: it names itself, fetches as no browser
 * does, and speaks for whom it has asked.
 */
function senderOf({ isHttps }: SegmentCollectDeps, { headers, protocol }: FastifyRequest): SegmentSender {
  if (headers.origin === undefined) return { isPage: false, signs: { isMachine: false, gpc: false } }
  return { isPage: true, signs: browserSigns(headers, { expectsMetadata: isHttps || protocol === 'https' }) }
}
