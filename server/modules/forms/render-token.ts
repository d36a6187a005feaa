import type { SecretKeys } from '../../platform/crypto/secret-box.ts'
import { judgeMac, macOf } from '../../platform/crypto/secret-mac.ts'
import { DAY_MS } from '../../platform/durations.ts'

const PURPOSE = 'postroom form render token'
/** Nobody reads a form and fills it in sooner. */
export const RENDER_AGE_MIN_MS = 2_000
export const RENDER_AGE_MAX_MS = DAY_MS

/** `version.moment.keyId.code`, the moment in milliseconds: says which version of a form was shown, and when. */
const TOKEN = /^(\d{1,9})\.(\d{1,16})\.([a-z0-9]{1,16}\.[A-Za-z0-9_-]{43})$/

export type RenderFacts = { formKey: string; version: number; atMs: number }

export function makeRenderToken(keys: SecretKeys, facts: RenderFacts): string {
  return `${facts.version}.${facts.atMs}.${macOf(textOf(facts), keys, PURPOSE)}`
}

export type RenderJudgement = { age: 'good' | 'early' | 'late'; version: number } | { age: 'none' }

/** Judges the token that came with a filled-in form; `none` for what we did not make for this form. */
export function judgeRenderToken(
  keys: SecretKeys,
  token: unknown,
  { formKey, nowMs }: { formKey: string; nowMs: number },
): RenderJudgement {
  const [, version, moment, mac] = (typeof token === 'string' ? TOKEN.exec(token) : null) ?? []
  if (version === undefined || moment === undefined || mac === undefined) return { age: 'none' }
  const facts = { formKey, version: Number(version), atMs: Number(moment) }
  if (judgeMac(mac, textOf(facts), { ...keys, purpose: PURPOSE }) !== 'right') return { age: 'none' }
  const ageMs = nowMs - facts.atMs
  const age = ageMs < RENDER_AGE_MIN_MS ? 'early' : ageMs > RENDER_AGE_MAX_MS ? 'late' : 'good'
  return { age, version: facts.version }
}

/** Each part with its length before it: no two sets of facts have one text. */
function textOf({ formKey, version, atMs }: RenderFacts): string {
  return signedText([formKey, String(version), String(atMs)])
}

export function signedText(parts: readonly string[]): string {
  return parts.map((part) => `${Buffer.byteLength(part)}:${part}`).join('')
}
