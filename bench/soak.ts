import { Pool } from 'undici'
import { startInstance } from '../test/support/instance.ts'
import { startCountingReceiver } from './counting-receiver.ts'
import { withDatabase } from './instance-database.ts'
import { limitText, percentilesOf, percentilesText } from './measure.ts'
import { type Bench, GOAL_P99_MS, latenciesAtPace, PACE_PER_SECOND } from './webhooks.ts'

const MINUTES_DEFAULT = 10
const MINUTE_MS = 60_000
const GOAL_RSS_MB = 200
const BYTES_PER_MB = 1_000_000

/** memory of the service and time from event to delivery, minute by minute at a steady pace: [minutes] */
export async function run([minutes]: readonly string[] = []): Promise<void> {
  const receiver = await startCountingReceiver()
  const instance = await startInstance({ env: { WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8' } })
  const api = new Pool(instance.baseUrl, { connections: 32, pipelining: 1 })
  const rssMb: number[] = []
  try {
    await withDatabase(instance, async (client) => {
      const bench: Bench = { instance, receiver, client, api }
      for (let minute = 1; minute <= Number(minutes ?? MINUTES_DEFAULT); minute++) {
        const latencies = percentilesOf(await latenciesAtPace(bench, MINUTE_MS))
        rssMb.push((await instance.rssBytes()) / BYTES_PER_MB)
        const memory = `${Math.round(rssMb.at(-1)!)} MB`
        console.log(`minute ${minute}: ${memory}, event to delivery ${percentilesText(latencies)}`)
        if (latencies.p99 > GOAL_P99_MS) console.log(`  p99 ${limitText(latencies.p99, GOAL_P99_MS, 'ms')}`)
      }
    })
    console.log(`${PACE_PER_SECOND} events/s: ${limitText(Math.max(...rssMb), GOAL_RSS_MB, 'MB resident')}`)
  } finally {
    await api.destroy()
    await instance.stop()
    await receiver.close()
  }
}
