import { setTimeout as sleep } from 'node:timers/promises'
import { ANSWER_BYTES_MAX, ANSWER_TIMEOUT_MS, type Way } from './ask-api.ts'
import { waitOf } from './asked-pause.ts'

/** The way of an operator, who may reach what this machine reaches. */
export const OPEN_WAY: Way = {
  async get(url, headers) {
    try {
      const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS)
      const answer = await fetch(url, { headers, redirect: 'error', signal })
      const body = await textOf(answer)
      if (body === undefined) return { fault: `an answer is over ${ANSWER_BYTES_MAX} bytes` }
      return { status: answer.status, body, waitMs: waitOf((name) => answer.headers.get(name)) }
    } catch (error) {
      const { message, cause } = error as Error
      return { fault: (cause as Error | undefined)?.message ?? message }
    }
  },
  async pause(ms) {
    await sleep(ms)
  },
}

/** Undefined for more than is read of one, which may be packed into little: the rest is let go. */
async function textOf({ body }: Response): Promise<string | undefined> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of body ?? []) {
    bytes += piece.length
    if (bytes > ANSWER_BYTES_MAX) return undefined
    pieces.push(piece)
  }
  return new TextDecoder().decode(Buffer.concat(pieces))
}
