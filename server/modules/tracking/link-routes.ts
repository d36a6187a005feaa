import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { closed } from '../../platform/schema/schemas.ts'
import { clientIp } from '../auth/client-ip.ts'
import type { AddressOfClick } from './address-of-click.ts'
import type { Hit } from './hit-queries.ts'
import type { LinkKeys } from './link-keys.ts'
import { sendUnknownLink } from './link-page.ts'
import { readToken } from './link-token.ts'
import { clickOf, LINK_PATHS } from './message-links.ts'
import type { HitRecorder } from './record-hits.ts'
import { type HitKind, requestSignals } from './request-signals.ts'
import { visitorIp } from './visitor-ip.ts'

export type LinkRouteDeps = { keys: LinkKeys; hits: HitRecorder; addressOf: AddressOfClick }

/** One transparent pixel (GIF89a). */
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')
const PIXEL_HEADERS = { 'content-type': 'image/gif', 'cross-origin-resource-policy': 'cross-origin' }

const params = closed({ token: Type.String() })
const schema = { hide: true, params } as const

/**
 * Where the picture and the links of mails lead. They answer when the hit is durable, and soon even when the database does
 * not take it (`record-hits.ts`).
 */
export function linkRoutes(app: HttpApp, { keys, hits, addressOf }: LinkRouteDeps): void {
  // A broken picture would help nobody: what we did not write is answered as well, and not noted.
  app.get(`/${LINK_PATHS.open}/:token`, { schema }, async (request, reply) => {
    const parts = await readToken(keys, 'open', request.params.token)
    if (parts !== undefined) {
      const [workspaceId = '', messageId = ''] = parts
      await hits.record({ workspaceId, messageId, link: null, url: null, ...visitor('open', request) })
    }
    return reply.headers(PIXEL_HEADERS).send(PIXEL)
  })

  app.get(`/${LINK_PATHS.click}/:token`, { schema }, async (request, reply) => {
    const parts = await readToken(keys, 'click', request.params.token)
    if (parts === undefined) return sendUnknownLink(reply)
    const click = clickOf(parts)
    const recorded = hits.record({ ...click, ...visitor('click', request) })
    const [address] = await Promise.all([addressOf(click), recorded])
    return reply.header('x-robots-tag', 'noindex').redirect(new URL(address).href, 302)
  })
}

function visitor(kind: HitKind, request: FastifyRequest): Pick<Hit, 'kind' | 'ip' | 'userAgent' | 'signals'> {
  return {
    kind,
    ip: visitorIp(clientIp(request)),
    userAgent: request.headers['user-agent'] ?? null,
    signals: requestSignals(kind, request.method, request.headers),
  }
}
