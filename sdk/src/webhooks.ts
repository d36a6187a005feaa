import type { EventRecordedDelivery, SystemEvents } from './generated/webhook-events.ts'
import { parseJson } from './parse-json.ts'
import { base64Of, bytesOfBase64, hmacKey, type SigningKey } from './signing.ts'

export type * from './generated/webhook-events.ts'

/** An event that was recorded under a name of the caller's own, which is `data.action`. */
export type RecordedEvent = Omit<EventRecordedDelivery, 'type'> & { type: typeof RECORDED }

/** The events that are delivered; `type` tells them apart. */
export type WebhookEvent = (SystemEvents[keyof SystemEvents] | RecordedEvent) & {
  /** The same at every attempt: act on one only once. */
  deliveryId: string
}

export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

export type VerifyOptions = {
  /** How old, or how far ahead, a delivery may be: 300 seconds unless another number is given. */
  toleranceSeconds?: number
  nowMs?: number
}

/** What is wrong with a request that claims to be a delivery. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError'
  readonly reason: 'missing-header' | 'outside-tolerance' | 'wrong-signature' | 'wrong-secret' | 'wrong-body'

  constructor(reason: WebhookError['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}

const RECORDED = 'event.recorded'
const TOLERANCE_SECONDS = 300
/** Two while a secret rotates; somebody who sends more is not worth the time. */
const SIGNATURES_MAX = 20
const SECRET_PREFIX = 'whsec_'
const VERSION = 'v1,'

/**
 * Verifies a delivery (Standard Webhooks) and reads its event. `body` are the bytes, or the text, as they came: what a framework
 * has parsed is another. `secrets` are the endpoint's, two while it has a new one. Throws a `WebhookError`.
 */
export async function verifyWebhook(
  body: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  {
    secrets,
    toleranceSeconds = TOLERANCE_SECONDS,
    nowMs = Date.now(),
  }: VerifyOptions & { secrets: string | readonly string[] },
): Promise<WebhookEvent> {
  const [id, timestamp, signature] = (['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const).map((name) => {
    const value = headerOf(headers, name)
    if (!value) throw new WebhookError('missing-header', `${name} is missing`)
    return value
  }) as [string, string, string]
  const offSeconds = Math.abs(nowMs / 1_000 - Number(timestamp))
  if (!/^\d+$/.test(timestamp) || offSeconds > toleranceSeconds)
    throw new WebhookError('outside-tolerance', `webhook-timestamp ${timestamp} is too far from now`)
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : new Uint8Array(body)
  const signed = signedBytes(id, timestamp, bytes)
  const given = signature.split(' ', SIGNATURES_MAX).filter((one) => one.startsWith(VERSION))
  const signatures = given.flatMap((one) => bytesOfBase64(one.slice(VERSION.length)) ?? [])
  for (const secret of [secrets].flat()) {
    const key = await keyOf(secret, 'verify')
    // The comparison takes the same time wherever they differ.
    for (const one of signatures) if (await crypto.subtle.verify('HMAC', key, one, signed)) return eventOf(bytes, id)
  }
  throw new WebhookError('wrong-signature', 'no signature is made with a secret of the endpoint')
}

/** The headers of a delivery, for tests of a receiver. */
export async function signWebhook(
  body: string,
  { secret, id = 'dlv_1', nowMs = Date.now() }: { secret: string; id?: string; nowMs?: number },
): Promise<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>> {
  const timestamp = String(Math.floor(nowMs / 1_000))
  const signed = signedBytes(id, timestamp, new TextEncoder().encode(body))
  const signature = new Uint8Array(await crypto.subtle.sign('HMAC', await keyOf(secret, 'sign'), signed))
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `${VERSION}${base64Of(signature)}` }
}

function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined
  const [, value] = Object.entries(headers).find(([own]) => own.toLowerCase() === name) ?? []
  return typeof value === 'object' ? value[0] : value
}

function signedBytes(id: string, timestamp: string, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const head = new TextEncoder().encode(`${id}.${timestamp}.`)
  const signed = new Uint8Array(head.length + body.length)
  signed.set(head)
  signed.set(body, head.length)
  return signed
}

function keyOf(secret: string, use: 'sign' | 'verify'): Promise<SigningKey> {
  const bytes = bytesOfBase64(secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret)
  if (!bytes?.length) throw new WebhookError('wrong-secret', `a secret is ${SECRET_PREFIX} and base64`)
  return hmacKey(bytes, use)
}

function eventOf(body: Uint8Array, deliveryId: string): WebhookEvent {
  try {
    const event = parseJson(withIdsAsText(new TextDecoder().decode(body)))
    // A name of the caller's own is told apart from those of the system, those of tomorrow too.
    return { ...event, ...(event.data?.action === event.type ? { type: RECORDED } : {}), deliveryId }
  } catch {
    throw new WebhookError('wrong-body', 'the body is no JSON')
  }
}

/** A text, or a text and the colon after it: a name; a bracket; a number. */
const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|[{}[\]]|-?\d[\d.eE+-]*/g
/** Objects that callers fill: what is in there stays as it is. */
const FREE = new Set(['"properties"', '"metadata"'])

/** JSON whose ids, integers of 64 bits under names that end in `Id`, are texts: JavaScript's numbers would lose their last digits. */
function withIdsAsText(json: string): string {
  const around: string[] = []
  let name = ''
  return json.replace(TOKEN, (token, text?: string, colon?: string) => {
    if (text !== undefined) {
      if (colon !== undefined) name = text
    } else if (token === '{' || token === '[') around.push(name)
    else if (token === '}' || token === ']') around.pop()
    else if (name.endsWith('Id"') && !around.some((one) => FREE.has(one))) return `"${token}"`
    return token
  })
}
