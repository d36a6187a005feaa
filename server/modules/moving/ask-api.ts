import type { Static, TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { bytesBesideTexts } from '../../platform/json/bytes-beside-texts.ts'
import { parseForeignJson } from '../../platform/json/exact-json.ts'
import { MovingError } from './moved.ts'

/** An answer, or why there is none. `waitMs` is what a service that has had enough asks for. */
export type Answer = { status: number; body: string; waitMs: number | null } | { fault: string }

/** A way to the outside: asks for an address, and follows no answer that leads elsewhere. */
export type Way = {
  get: (url: string, headers: Record<string, string>) => Promise<Answer>
  /** For a service that wants to be left alone for so long. */
  pause: (ms: number) => Promise<void>
}

export type Api = { name: string; base: string; headers: Record<string, string>; way: Way }

export type Get = <S extends TSchema>(path: string, schema: S) => Promise<Static<S>>

/** Longest answer, in bytes: some hundred people, or some dozen mails. */
export const ANSWER_BYTES_MAX = 16 * 1024 * 1024
/** Bytes that it may have beside its long texts: 16 MiB of empty objects held up everybody for more than a second. */
export const ANSWER_STRUCTURE_BYTES_MAX = 2 * 1024 * 1024
export const ANSWER_TIMEOUT_MS = 60_000
const TRIES_MAX = 10
const PAUSE_MS = 5_000

/** The part of a service's API that tells what there is; nothing there is changed. Answers have to be as the schema says. */
export function apiOf({ name, base, headers, way }: Api): Get {
  const stem = base.endsWith('/') ? base.slice(0, -1) : base
  const { host, pathname } = new URL(`${stem}/`)
  return async (path, schema) => {
    const shown = `${pathname}${path.split('?')[0]}`
    for (let tries = 1; ; tries++) {
      const answer = await way.get(`${stem}/${path}`, { ...headers, accept: 'application/json' })
      if ('fault' in answer) throw new MovingError(`${host} does not answer: ${answer.fault}`, { isPassing: true })
      if (answer.status === 429 && tries < TRIES_MAX) {
        await way.pause(answer.waitMs ?? PAUSE_MS)
        continue
      }
      if (answer.status === 401 || answer.status === 403) {
        throw new MovingError(`${host} refuses the login for ${shown}`)
      }
      if (bytesBesideTexts(Buffer.from(answer.body), ANSWER_STRUCTURE_BYTES_MAX) > ANSWER_STRUCTURE_BYTES_MAX) {
        throw new MovingError(`${host} answers ${shown} with more than a page of it holds`)
      }
      const body = answer.status === 200 ? parsed(answer.body) : undefined
      if (Value.Check(schema, body)) return body
      throw new MovingError(`${host} answers ${shown} with ${answer.status} and not as ${name} does`, {
        isPassing: answer.status === 429 || answer.status >= 500,
      })
    }
  }
}

function parsed(text: string): unknown {
  try {
    return parseForeignJson(text)
  } catch {
    return undefined
  }
}
