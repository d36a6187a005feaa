import { createHmac, hash, pbkdf2, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { derivedKeys } from '../../platform/crypto/derived-keys.ts'
import type { SecretKeys } from '../../platform/crypto/secret-box.ts'

/*
 * Proof of work in the form of ALTCHA 2 (altcha-lib 2, `PBKDF2/SHA-256` with a counter that only we know): whoever fills in a form
 * derives keys from 0 on until one begins with the prefix, and sends it. We check a code over that key, and derive nothing.
 *
 * A challenge is signed as the JSON of its parameters in the order of their names, so that no parameter can run into another
 * one; it names the form and the render token that it is for, and is taken once.
 */
const ALGORITHM = 'PBKDF2/SHA-256'
const KEY_BYTES = 32
const PREFIX_BYTES = KEY_BYTES / 2
/** Some 0.7 ms of a desktop's browser for each key, call and all; 0.5 ms of ours for each challenge. */
const ITERATIONS = 2_000
const LIFE_SECONDS = 600
/** How many keys have to be derived: some 0.1 to 0.3 s usually, up to 3 s of a form that is being attacked. */
const COUNTERS = { easy: [150, 300], hard: [2_000, 4_000] } as const
export type Hardness = keyof typeof COUNTERS

const derive = promisify(pbkdf2)

export type ChallengeFor = { formKey: string; renderToken: string; nowMs: number }

type Parameters = {
  algorithm: string
  cost: number
  data: { form: string; shown: string }
  expiresAt: number
  keyLength: number
  keyPrefix: string
  keySignature: string
  nonce: string
  salt: string
}
export type Challenge = { parameters: Parameters; signature: string }

export async function makeChallenge(keys: SecretKeys, about: ChallengeFor, hardness: Hardness): Promise<Challenge> {
  const [secrets] = challengeSecrets(keys)
  const [nonce, salt] = [randomBytes(16), randomBytes(16)]
  const [least, most] = COUNTERS[hardness]
  const password = Buffer.alloc(nonce.length + 4)
  nonce.copy(password)
  password.writeUInt32BE(randomInt(least, most), nonce.length)
  const key = await derive(password, salt, ITERATIONS, KEY_BYTES, 'sha256')
  const parameters = {
    algorithm: ALGORITHM,
    cost: ITERATIONS,
    data: dataOf(about),
    expiresAt: Math.floor(about.nowMs / 1_000) + LIFE_SECONDS,
    keyLength: KEY_BYTES,
    keyPrefix: key.subarray(0, PREFIX_BYTES).toString('hex'),
    keySignature: codeOf(secrets!.key, key),
    nonce: nonce.toString('hex'),
    salt: salt.toString('hex'),
  }
  return { parameters, signature: codeOf(secrets!.challenge, JSON.stringify(parameters)) }
}

/** The mark of a solved challenge, by which it is known if it comes again; undefined for anything but a right solution in time. */
export function judgeSolution(keys: SecretKeys, payload: unknown, about: ChallengeFor): string | undefined {
  const { parameters, signature, derivedKey } = readPayload(payload) ?? {}
  if (parameters === undefined || signature === undefined || derivedKey === undefined) return undefined
  const text = JSON.stringify(parameters)
  const secrets = challengeSecrets(keys).find((one) => isSame(signature, codeOf(one.challenge, text)))
  if (secrets === undefined || parameters.expiresAt * 1_000 < about.nowMs) return undefined
  if (JSON.stringify(parameters.data) !== JSON.stringify(dataOf(about))) return undefined
  return isSame(parameters.keySignature, codeOf(secrets.key, derivedKey)) ? signature : undefined
}

/** Each key of the instance as the two secrets of ALTCHA, which are texts: of challenges and of keys. */
export function challengeSecrets(keys: SecretKeys): { challenge: string; key: string }[] {
  const texts = (purpose: string) => derivedKeys(keys, purpose).map((key) => key.export().toString('hex'))
  const ofKeys = texts('postroom form challenge key')
  return texts('postroom form challenge').map((challenge, n) => ({ challenge, key: ofKeys[n]! }))
}

function dataOf({ formKey, renderToken }: ChallengeFor): Parameters['data'] {
  return { form: formKey, shown: hash('sha256', renderToken) }
}

function codeOf(secret: string, content: string | Buffer): string {
  return createHmac('sha256', secret).update(content).digest('hex')
}

function isSame(given: string, right: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(right)]
  return one.length === other.length && timingSafeEqual(one, other)
}

const PAYLOAD_CHARS_MAX = 4_000

type Payload = { parameters: Parameters; signature: string; derivedKey: Buffer }

/** The base64 of `{challenge, solution}` as JSON, as ALTCHA sends it. Nothing but what we have signed is kept of it. */
function readPayload(payload: unknown): Payload | undefined {
  if (typeof payload !== 'string' || payload.length > PAYLOAD_CHARS_MAX) return undefined
  const { challenge, solution } = objectOf(parse(Buffer.from(payload, 'base64').toString()))
  const { parameters, signature } = objectOf(challenge)
  const { derivedKey } = objectOf(solution)
  const given = objectOf(parameters)
  const data = objectOf(given.data)
  const texts = [
    given.keyPrefix,
    given.keySignature,
    given.nonce,
    given.salt,
    data.form,
    data.shown,
    signature,
    derivedKey,
  ]
  const numbers = [given.cost, given.expiresAt, given.keyLength]
  if (!texts.every(isText) || !numbers.every(Number.isSafeInteger) || given.algorithm !== ALGORITHM) return undefined
  const [keyPrefix, keySignature, nonce, salt, form, shown, code, key] = texts as string[]
  const [cost, expiresAt, keyLength] = numbers as number[]
  const read = {
    algorithm: ALGORITHM,
    cost,
    data: { form, shown },
    expiresAt,
    keyLength,
    keyPrefix,
    keySignature,
    nonce,
    salt,
  }
  return { parameters: read as Parameters, signature: code!, derivedKey: Buffer.from(key!, 'hex') }
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
