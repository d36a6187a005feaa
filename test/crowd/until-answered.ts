import { setTimeout as delay } from 'node:timers/promises'
import { type Answer, type Call, send } from '../support/http-client.ts'

/** Between two attempts, while the process that answers is away. */
const AGAIN_MS = 200
/** However long it is away: one that was killed a few times comes back half a minute later. */
const AWAY_MAX_MS = 300_000

/** `cuts`: how often it was sent and nobody answered; then it may have been done more than once, or by an attempt that said nothing. */
export type LateAnswer = Answer & { cuts: number }

const isUnderWay = ({ status, json }: Answer) => status === 409 && json?.code === 'request-in-flight'

/** Sends a request again, the same one, until it is answered: as a client does whose server is killed. */
export async function untilAnswered(method: string, url: string, call: Call): Promise<LateAnswer> {
  const giveUpAt = performance.now() + AWAY_MAX_MS
  for (let cuts = 0; ; ) {
    try {
      const answer = await send(method, url, call)
      if (cuts === 0 || !isUnderWay(answer)) return { ...answer, cuts }
    } catch (error) {
      if (performance.now() > giveUpAt) throw error
      // Whom nobody listened to has done nothing.
      if (!isNobodyThere(error)) cuts += 1
    }
    await delay(AGAIN_MS)
  }
}

function isNobodyThere(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED'
}
