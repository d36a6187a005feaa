import { PassThrough, type Readable } from 'node:stream'
import { Busboy } from '@fastify/busboy'
import { invalid } from '../problem.ts'

export type FormFile = { content: Readable; fileName: string | null }

/** Fields of a form beside its file, which nobody looks at. */
const FIELDS_MAX = 20
const FIELD_BYTES_MAX = 16 * 1024

export function isForm(contentType: string | undefined): boolean {
  return /^multipart\/form-data\s*;/i.test(contentType ?? '')
}

/**
 * The first file of a form (RFC 7578), to be read while it arrives; of others nothing is kept. Throws 400 for a form
 * without one, or what is none. A form that breaks off breaks off its file.
 */
export function fileOfForm(body: Readable, contentType: string): Promise<FormFile> {
  return new Promise((resolve, reject) => {
    const content = new PassThrough()
    // Its reader hears of the fault; before there is one, the promise tells.
    content.on('error', () => {})
    const fail = (detail: string) => {
      const problem = invalid([{ pointer: '/file', detail }])
      content.destroy(problem)
      reject(problem)
      body.resume()
    }
    const breakOff = () => fail('is in a form that is cut off or is none')
    const parser = parserOf(contentType)
    if (!parser) return fail('is in a form without a boundary')
    parser.once('file', (_field, file, fileName) => {
      file.on('error', breakOff).pipe(content)
      // Left early, the rest is read and thrown away: a client that is not read from does not read the answer either.
      content.once('close', () => file.resume())
      resolve({ content, fileName: fileName || null })
    })
    parser.on('finish', () => {
      // Nothing changes behind a file that was found.
      reject(invalid([{ pointer: '/file', detail: 'is not in the form' }]))
    })
    parser.on('error', breakOff)
    body.on('error', breakOff).pipe(parser)
  })
}

function parserOf(contentType: string) {
  try {
    const limits = { fields: FIELDS_MAX, fieldSize: FIELD_BYTES_MAX, files: 1 }
    return new Busboy({ headers: { 'content-type': contentType }, limits })
  } catch {
    return undefined
  }
}
