import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { errorCode } from '../db/errors.ts'
import { invalid, Problem } from '../problem.ts'
import { HTTP_PROBLEMS } from './http-problems.ts'

/**
 * The bytes of a body as they arrive, decompressed. Left early, what is still to come is read and thrown away: a client
 * that is not read from does not read the answer either.
 */
export async function* receiveUpload(body: Readable, encoding: string | undefined): AsyncGenerator<Buffer> {
  if (encoding !== undefined && encoding !== 'identity' && encoding !== 'gzip') {
    throw new Problem(HTTP_PROBLEMS.unsupportedMediaType, { detail: 'Content-Encoding may be gzip only.' })
  }
  const content = encoding === 'gzip' ? body.pipe(createGunzip()) : body
  if (content !== body) body.once('error', (error) => content.destroy(error))
  try {
    yield* content.iterator({ destroyOnReturn: false })
  } catch (error) {
    if (errorCode(error)?.startsWith('Z_')) throw invalid([{ pointer: '', detail: 'is not gzip' }])
    throw error
  } finally {
    if (content !== body) {
      body.unpipe()
      content.destroy()
    }
    body.resume()
  }
}
