import type pg from 'pg'
import { Type } from 'typebox'
import { notFound } from '../../catalogue/problems.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import type { HttpApp } from '../../platform/http/server.ts'
import { closed, Id, isBeyondIds } from '../../platform/schema/schemas.ts'
import { imageStatement } from './asset-queries.ts'
import { ENDINGS } from './image-of.ts'

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
export function imageRoutes(app: HttpApp, { sql }: { sql: pg.Pool }): void {
  app.get('/images/:workspaceId/:file', { schema }, async (request, reply) => {
    const { workspaceId, file } = request.params
    const [, digest, ending] = FILE.exec(file) ?? []
    if (digest === undefined || isBeyondIds(workspaceId)) throw notFound()
    const [image] = await queryInScope(sql, workspaceId, imageStatement(workspaceId, digest))
    if (!image || ENDINGS[image.type] !== ending) throw notFound()
    return reply.headers(HEADERS).type(image.type).send(image.content)
  })
}
