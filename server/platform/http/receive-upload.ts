import { Readable } from 'node:stream'
import { createGunzip, type Gunzip } from 'node:zlib'
import { type Static, type TSchema, Type } from 'typebox'
import { errorCode } from '../db/errors.ts'
import { COMMON_PROBLEMS, invalid, Problem } from '../problem.ts'
import type { HttpApp } from './http-app.ts'
import { HTTP_PROBLEMS } from './http-problems.ts'

const NOT_JSON = /^(?!application\/([^;]+\+)?json\b)/i

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether bodies that are no JSON are read by their handlers as they arrive, and are never in memory as a whole. */
    takesStreams: boolean
  }
}

const FORM = Type.Unsafe<Readable>({ description: 'A form with the file; the first one counts, whatever its name.' })

/**
 * A body in either of two media types: JSON that is validated, or CSV that the handler reads while it arrives; with `form`
 * also as the file of a form.
 */
export function jsonOrCsv<S extends TSchema>(json: S, { form = false } = {}) {
  const content = {
    'application/json': { schema: json },
    'text/csv': { schema: Type.Unsafe<Readable>({ description: 'The file. UTF-8, UTF-16 or Windows-1252.' }) },
    ...(form ? { 'multipart/form-data': { schema: FORM } } : {}),
  }
  return Type.Unsafe<Static<S> | Readable>({ content } as unknown as TSchema)
}

/**
 * Has the routes of this app take bodies as streams, JSON as ever. Others than a route names are let through unread, so
 * that the refusal can name those that it takes. To be used in an app of their own (`app.register`).
 */
export function takeStreams(app: HttpApp): void {
  app.decorate('takesStreams', true)
  app.addContentTypeParser(NOT_JSON, (_request, payload, taken) => taken(null, payload))
}

/** A file that came as it is, or as the field `csv` of a JSON body. */
export function uploadedFile(body: Readable | { csv: string }, encoding: string | undefined) {
  return body instanceof Readable ? receiveUpload(body, encoding) : Readable.from([Buffer.from(body.csv)])
}

/** Text of tables packs to a tenth or a fiftieth; a file that unpacks to more than this many times its size is none. */
const UNPACKED_RATIO_MAX = 100
/** Judged from here on: a small file may be one line again and again. */
const UNPACKED_FREE_BYTES = 1_048_576

/**
 * Passes on what a compressed body unpacks to, as long as that is in proportion to what has arrived of it: judged while
 * it unpacks, so that a bomb costs what it may and no more. Throws 413.
 */
async function* inProportion(unpacked: Gunzip): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const piece of unpacked.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += piece.length
    if (bytes > UNPACKED_FREE_BYTES && bytes > unpacked.bytesWritten * UNPACKED_RATIO_MAX) {
      const detail = `It unpacks to more than ${UNPACKED_RATIO_MAX} times its size.`
      throw new Problem(COMMON_PROBLEMS.bodyTooLarge, { detail })
    }
    yield piece
  }
}

/**
 * The bytes of a body as they arrive, decompressed. Left early, what is still to come is read and thrown away: a client
 * that is not read from does not read the answer either.
 */
async function* receiveUpload(body: Readable, encoding: string | undefined): AsyncGenerator<Buffer> {
  if (encoding !== undefined && encoding !== 'identity' && encoding !== 'gzip') {
    throw new Problem(HTTP_PROBLEMS.unsupportedMediaType, { detail: 'Content-Encoding may be gzip only.' })
  }
  const gunzip = encoding === 'gzip' ? body.pipe(createGunzip()) : undefined
  if (gunzip) body.once('error', (error) => gunzip.destroy(error))
  try {
    yield* gunzip ? inProportion(gunzip) : body.iterator({ destroyOnReturn: false })
  } catch (error) {
    if (errorCode(error)?.startsWith('Z_')) throw invalid([{ pointer: '', detail: 'is not gzip' }])
    throw error
  } finally {
    if (gunzip) {
      body.unpipe()
      gunzip.destroy()
    }
    body.resume()
  }
}
