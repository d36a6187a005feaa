import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { notFound } from '../../catalogue/problems.ts'
import { namesTag } from '../../platform/etag.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { closed } from '../../platform/schema/schemas.ts'
import { takesEncoding } from '../dashboard/built-app.ts'
import { type BuiltScript, type BuiltScripts, formFor, HASH_CHARS, SCRIPT_NAMES } from './built-scripts.ts'

const AN_HOUR = 'public, max-age=3600'
const IMMUTABLE = 'public, max-age=31536000, immutable'
/** While the build is being made, which takes some seconds. */
const RETRY_SECONDS = 2

/** Pages of any site may load them, compare them with a digest, and keep them beside a strict embedder policy. */
const HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'content-location',
  'cross-origin-resource-policy': 'cross-origin',
  vary: 'accept-encoding',
}

const params = closed({ hash: Type.String({ maxLength: HASH_CHARS }) })

/**
 * Scripts for the pages of other sites: by their name, asked for anew every hour, and by name and digest, which never
 * change. `Content-Location` of the first names the second.
 */
export function scriptRoutes(app: HttpApp, scripts: BuiltScripts): void {
  for (const name of SCRIPT_NAMES) {
    app.get(`/${name}.js`, { schema: { hide: true } }, async (request, reply) => {
      const script = await scripts.script(name)
      if (script === undefined) return sendMissing(reply)
      reply.header('content-location', `/${name}.${script.hash}.js`)
      return sendScript(request, reply, { script, keep: AN_HOUR })
    })
    const path = `/${name}.:hash(^[0-9a-f]{${HASH_CHARS}}$).js` as const
    app.get(path, { schema: { hide: true, params } }, async (request, reply) => {
      const script = await scripts.script(name)
      if (script === undefined) return sendMissing(reply)
      if (script.hash !== (request.params as { hash: string }).hash) throw notFound()
      return sendScript(request, reply, { script, keep: IMMUTABLE })
    })
  }
}

type Sent = { script: BuiltScript; keep: string }

function sendScript(request: FastifyRequest, reply: FastifyReply, { script, keep }: Sent): FastifyReply {
  const { 'accept-encoding': accepted, 'if-none-match': known } = request.headers
  const { bytes, encoding } = formFor(script, (name) => takesEncoding(accepted, name))
  // A strong tag names exact bytes: each form has its own.
  const etag = `"${script.hash}${encoding === undefined ? '' : `-${encoding}`}"`
  reply.headers({ ...HEADERS, 'cache-control': keep, etag })
  if (known !== undefined && namesTag(known.replaceAll('W/', ''), etag)) return reply.code(304).send()
  if (encoding !== undefined) reply.header('content-encoding', encoding)
  return reply.type(script.type).send(bytes)
}

function sendMissing(reply: FastifyReply): FastifyReply {
  return reply
    .code(503)
    .headers({ ...HEADERS, 'retry-after': String(RETRY_SECONDS) })
    .type('text/plain; charset=utf-8')
    .send('The scripts are not built: npm run build\n')
}
