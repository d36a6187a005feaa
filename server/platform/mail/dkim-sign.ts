import { hash, type KeyObject, sign } from 'node:crypto'
import { promisify } from 'node:util'
import { createScratch } from '../scratch.ts'
import { bytesOf, writeChunks } from './chunks.ts'
import type { Composed } from './compose-message.ts'
import { isUnrelaxed, relaxBody, relaxedFields, withoutEmptyEnd } from './dkim-relaxed.ts'
import { messageMemory } from './message-memory.ts'

/**
 * DKIM (RFC 6376), rsa-sha256 and relaxed/relaxed. A field that readers go by is named once more in `h=` than it is
 * there ("oversigned"): one that is added on the way breaks the signature instead of taking the place of ours.
 */
export type SigningKey = {
  domain: string
  selector: string
  /** RSA. Kept as an object: reading the key anew costs as much as a signature. */
  privateKey: KeyObject
  /** Lower-cased names of fields that the next server writes anew; named in the signature, they would break it. */
  rewrittenFields?: readonly string[]
}

/**
 * Amazon SES puts its own Date and Message-ID in the place of those it is given, over its API and over SMTP, and asks
 * signers to leave them out ("Manual DKIM signing in Amazon SES").
 */
export const SES_REWRITTEN_FIELDS: readonly string[] = ['date', 'message-id']

const OVERSIGNED = [
  'from',
  'to',
  'cc',
  'reply-to',
  'subject',
  'date',
  'message-id',
  'mime-version',
  'content-type',
  'list-unsubscribe',
  'list-unsubscribe-post',
]
/** Signed where they are there. Not `X-…`: those are for servers on the way, which take them out. */
const SIGNED = /^(?:content-transfer-encoding|in-reply-to|references|auto-submitted|feedback-id|list-.*)$/
const LINE_CHARS = 76

const signOnThreadPool = promisify(sign)
const scratch = createScratch()

/**
 * The whole message with its signature in front, as bytes of `messageMemory`, which may be given back to it. Rejects
 * rather than leave one unsigned.
 */
export async function signMessage(composed: Composed, key: SigningKey, signedAt: Date): Promise<Buffer> {
  if (key.privateKey.asymmetricKeyType !== 'rsa') throw new Error('a DKIM key must be an RSA key')
  const { head, encoding = 'utf8' } = composed
  const { names, canonical } = signedFields(head, new Set(key.rewrittenFields))
  const bodyBytes = bytesOf(composed.body)
  const unsigned = signatureField(key, names, { bodyHash: bodyHash(composed), signedAt })
  const own = relaxedFields(`${unsigned}\r\n`)[0]!.canonical.slice(0, -2)
  const signature = await signOnThreadPool('sha256', Buffer.from(canonical + own, encoding), key.privateKey)
  const lines = signature.toString('base64').match(/.{1,72}/g)!
  const front = `${unsigned}\r\n ${lines.join('\r\n ')}\r\n${head}\r\n`
  const frontBytes = Buffer.byteLength(front, encoding)
  const message = messageMemory.take(frontBytes + bodyBytes)
  message.write(front, encoding)
  writeChunks(composed.body, message, frontBytes)
  return message
}

function bodyHash({ body }: Composed): string {
  const whole = scratch(bytesOf(body))
  writeChunks(body, whole)
  const isToRelax = body.some((chunk) => typeof chunk === 'string' && isUnrelaxed(chunk))
  return hash('sha256', withoutEmptyEnd(isToRelax ? relaxBody(whole) : whole), 'base64')
}

/** The names of `h=`, in order, and what they stand for; of several fields of a name the last comes first (5.4.2). */
function signedFields(head: string, left: ReadonlySet<string>): { names: string[]; canonical: string } {
  const names: string[] = []
  let canonical = ''
  for (const field of relaxedFields(head).reverse()) {
    if (left.has(field.name) || !(OVERSIGNED.includes(field.name) || SIGNED.test(field.name))) continue
    names.push(field.name)
    canonical += field.canonical
  }
  return { names: [...names, ...OVERSIGNED.filter((name) => !left.has(name))], canonical }
}

/** The signature's field up to the empty `b=`. */
function signatureField(
  { domain, selector }: SigningKey,
  names: readonly string[],
  { bodyHash, signedAt }: { bodyHash: string; signedAt: Date },
): string {
  const seconds = Math.floor(signedAt.getTime() / 1_000)
  let field = `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=${domain};\r\n s=${selector}; t=${seconds};\r\n`
  let line = ' h='
  names.forEach((name, n) => {
    const unit = name + (n < names.length - 1 ? ':' : ';')
    if (line.length + unit.length > LINE_CHARS) {
      field += `${line}\r\n`
      line = '  '
    }
    line += unit
  })
  field += `${line}\r\n bh=${bodyHash};\r\n b=`
  return field
}
