import type { GuardedClient } from '../../platform/net/guarded-client.ts'
import { ANSWER_BYTES_MAX, ANSWER_TIMEOUT_MS, type Way } from './ask-api.ts'
import { waitOf } from './asked-pause.ts'
import { MovingError } from './moved.ts'

/** A service wants to be left alone for so long; the page is asked for again then. */
export class PauseError extends Error {
  override readonly name = 'PauseError'
  readonly ms: number

  constructor(ms: number) {
    super(`asked to wait ${ms} ms`)
    this.ms = ms
  }
}

/** The way of people, who may reach what is public and what the operator allows. */
export function guardedWay(client: GuardedClient): Way {
  return {
    async get(url, headers) {
      const answer = await client.send({
        ...{ method: 'GET', url, headers: { ...headers, 'user-agent': 'Postroom' } },
        ...{ deadlineMs: ANSWER_TIMEOUT_MS, wholeAnswer: true, answerBytesMax: ANSWER_BYTES_MAX },
      })
      if (answer.outcome === 'refused') throw new MovingError(`its address is refused: ${answer.message}`)
      if (answer.outcome === 'failed') return { fault: answer.detail }
      const { status, bodyExcerpt: body } = answer
      if (body.length >= ANSWER_BYTES_MAX) return { fault: `an answer is over ${ANSWER_BYTES_MAX} bytes` }
      return { status, body, waitMs: waitOf((name) => [answer.headers?.[name]].flat()[0]) }
    },
    async pause(ms) {
      throw new PauseError(ms)
    },
  }
}
