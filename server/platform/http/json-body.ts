import { hash } from 'node:crypto'
import { bytesBesideTexts } from '../json/bytes-beside-texts.ts'
import { parseJsonBody, parseLongJsonBody } from '../json/exact-json.ts'
import { Problem } from '../problem.ts'
import { refuseCoding } from './content-coding.ts'
import { type HttpApp, KNOWN_BODY_BYTES_MAX } from './http-app.ts'
import { HTTP_PROBLEMS } from './http-problems.ts'
import { IDEMPOTENCY_KEY_HEADER } from './idempotency-key.ts'
import { JSON_MEDIA_TYPE } from './json-media-type.ts'

/** Takes bodies of JSON and of nothing else, with each digit of their numbers; one under an idempotency key is told from others by its hash. */
export function takeJsonBodies(app: HttpApp): void {
  app.decorateRequest('bodyHash', undefined)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(JSON_MEDIA_TYPE, { parseAs: 'buffer' }, (request, body: Buffer, parsed) => {
    try {
      refuseCoding(request)
      if (request.headers[IDEMPOTENCY_KEY_HEADER] !== undefined) request.bodyHash = hash('sha256', body)
      refuseTooMuchStructure(body)
      if (body.length > KNOWN_BODY_BYTES_MAX) {
        setImmediate(() => parseLongJsonBody(body).then((value) => parsed(null, value), parsed))
      } else parsed(null, body.length === 0 ? undefined : parseJsonBody(body))
    } catch (error) {
      parsed(error as Error, undefined)
    }
  })
}

/** A route that takes more than others takes it for long texts: 25 MiB of names and numbers take seconds to parse. */
function refuseTooMuchStructure(body: Buffer): void {
  if (body.length <= KNOWN_BODY_BYTES_MAX || bytesBesideTexts(body, KNOWN_BODY_BYTES_MAX) <= KNOWN_BODY_BYTES_MAX)
    return
  const detail = `Beside its long texts the body may have at most ${KNOWN_BODY_BYTES_MAX / 1_048_576} MiB.`
  throw new Problem(HTTP_PROBLEMS.bodyTooLarge, { detail })
}
