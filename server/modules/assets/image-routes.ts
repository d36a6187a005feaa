import { Type } from 'typebox'
import { notFound } from '../../catalogue/problems.ts'
import { namesTag } from '../../platform/etag.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { closed, Id, isBeyondIds } from '../../platform/schema/schemas.ts'
import { ENDINGS } from './image-of.ts'
import type { ImageStore } from './image-store.ts'

const FILE = /^([0-9a-f]{64})\.(\w{3,4})$/
const params = closed({ workspaceId: Id, file: Type.String({ maxLength: 80 }) })
const schema = { hide: true, params } as const

/** The name holds the digest of the bytes: it cannot be guessed, and what is below it never changes. */
const HEADERS = {
  'cache-control': 'public, max-age=31536000, immutable',
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'cross-origin',
  'x-content-type-options': 'nosniff',
}

/** Where the pictures of mails are fetched from, by everybody. */
export function imageRoutes(app: HttpApp, images: ImageStore): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/images/:workspaceId/:file',
    schema,
    handler: async (request, reply) => {
      const { workspaceId, file } = request.params
      const [, digest, ending] = FILE.exec(file) ?? []
      if (digest === undefined || isBeyondIds(workspaceId)) throw notFound()
      const { type, bytes } = await images.facts(workspaceId, digest)
      if (ENDINGS[type] !== ending) throw notFound()
      const etag = `"${digest}"`
      const known = request.headers['if-none-match']
      if (known !== undefined && namesTag(known.replaceAll('W/', ''), etag)) {
        return reply
          .headers({ ...HEADERS, etag })
          .code(304)
          .send()
      }
      const content = request.method === 'HEAD' ? undefined : await images.content(workspaceId, digest)
      reply.headers({ ...HEADERS, etag, 'content-length': bytes }).type(type)
      return reply.send(content)
    },
  })
}
