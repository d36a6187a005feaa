import { base64UrlOf, hmacKey } from './signing.ts'

export type Identity = {
  /** Your own id of the person. */
  subjectId: string
  email?: string
  phone?: string
  /** Fields of the contact that are proven by being in here. */
  traits?: Record<string, unknown>
  /** The only visitor that may show the token. */
  visitorId?: string
}

export type IdentityKey = {
  /** Of the key, as it was given when it was made. */
  kid: string
  /** Its secret, as it was shown: the text itself is the key. */
  secret: string
  /** The public key of the tracker that the token is for. */
  collectKey: string
  /** How long it is good, at most 86400 seconds; 3600 unless another number is given. */
  expiresInSeconds?: number
  nowMs?: number
}

const EXPIRES_IN_SECONDS = 3_600
const EXPIRES_IN_SECONDS_MAX = 86_400

/** The token by which the tracker of a page proves who somebody is: a JWT (RFC 7519) with HS256. Made on the server, where the secret is. */
export async function signIdentity(
  { subjectId, visitorId, ...proven }: Identity,
  { kid, secret, collectKey, expiresInSeconds = EXPIRES_IN_SECONDS, nowMs = Date.now() }: IdentityKey,
): Promise<string> {
  if (!(expiresInSeconds > 0 && expiresInSeconds <= EXPIRES_IN_SECONDS_MAX))
    throw new RangeError(`expiresInSeconds is 1 to ${EXPIRES_IN_SECONDS_MAX}`)
  if (secret === '') throw new TypeError('the secret is missing')
  const iat = Math.floor(nowMs / 1_000)
  const claims = { sub: subjectId, ...proven, vid: visitorId, aud: collectKey, iat, exp: iat + expiresInSeconds }
  const bytesOf = (text: string) => new TextEncoder().encode(text)
  const part = (value: object) => base64UrlOf(bytesOf(JSON.stringify(value)))
  const signed = `${part({ alg: 'HS256', typ: 'JWT', kid })}.${part(claims)}`
  const signature = await crypto.subtle.sign('HMAC', await hmacKey(bytesOf(secret), 'sign'), bytesOf(signed))
  return `${signed}.${base64UrlOf(new Uint8Array(signature))}`
}
