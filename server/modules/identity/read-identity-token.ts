import { createHmac, timingSafeEqual } from 'node:crypto'
import { Type } from 'typebox'
import { DAY_SECONDS } from '../../platform/durations.ts'
import { parseExactJson } from '../../platform/json/exact-json.ts'
import { compileItemCheck } from '../../platform/schema/item-check.ts'
import { FreeForm, nullable } from '../../platform/schema/schemas.ts'

const TOKEN_CHARS_MAX = 16_384
const SIGNATURE_BYTES = 32
/** Clocks of two servers may be apart by so much. */
const LEEWAY_SECONDS = 60
const KID = /^[0-9]{1,19}$/

const text = Type.Optional(nullable(Type.String({ maxLength: 1_000 })))
const checkClaims = compileItemCheck(
  Type.Object(
    {
      sub: text,
      email: text,
      phone: text,
      traits: Type.Optional(Type.Union([FreeForm, Type.Null()])),
      aud: Type.String(),
      iat: Type.Number(),
      exp: Type.Number(),
      vid: text,
    },
    // Libraries put more into their tokens.
    { additionalProperties: true },
  ),
)

/** A statement of a workspace's server: all that is proven. */
export type SignedStatement = {
  subjectId: string | null
  email: string | null
  phone: string | null
  traits: Record<string, unknown>
}

/** Facts that a token is held to: the tracker's keys, the visitor, the moment, and the secrets that are good. */
export type Expected = {
  keys: readonly string[]
  visitorId: string
  nowSeconds: number
  secretOf: (kid: string) => Promise<Buffer | undefined>
}

/**
 * The statement in a token (RFC 7519) that is signed by HMAC-SHA256 and nothing else, with a key of the tracker, for a public key of it,
 * for at most 24 hours and, where it says so, for this visitor. Undefined for any other.
 */
export async function readIdentityToken(token: string, expected: Expected): Promise<SignedStatement | undefined> {
  const [head, body, signature, ...more] = token.split('.')
  if (token.length > TOKEN_CHARS_MAX || !head || !body || !signature || more.length > 0) return undefined
  const header = partOf(head) as { alg?: unknown; kid?: unknown; crit?: unknown } | undefined
  if (header?.alg !== 'HS256' || typeof header.kid !== 'string' || !KID.test(header.kid) || header.crit !== undefined)
    return undefined
  const secret = await expected.secretOf(header.kid)
  const given = Buffer.from(signature, 'base64url')
  if (secret === undefined || given.length !== SIGNATURE_BYTES) return undefined
  if (!keysIn(secret).some((key) => timingSafeEqual(mac(key, `${head}.${body}`), given))) return undefined
  const checked = checkClaims(partOf(body))
  if ('errors' in checked) return undefined
  const { sub, email, phone, traits, aud, iat, exp, vid } = checked.item
  const { keys, visitorId, nowSeconds } = expected
  const isNow = iat <= nowSeconds + LEEWAY_SECONDS && exp > nowSeconds - LEEWAY_SECONDS && exp - iat <= DAY_SECONDS
  if (!keys.includes(aud) || !isNow || (vid && vid !== visitorId)) return undefined
  return { subjectId: sub ?? null, email: email ?? null, phone: phone ?? null, traits: traits ?? {} }
}

/** The secret is base64url: libraries take its text for the key, or the bytes that it stands for (RFC 7517, `k`). */
const keysIn = (secret: Buffer) => [secret, Buffer.from(secret.toString(), 'base64url')]
const mac = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest()

function partOf(text: string): unknown {
  try {
    return parseExactJson(Buffer.from(text, 'base64url').toString())
  } catch {
    return undefined
  }
}
