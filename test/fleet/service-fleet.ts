import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../support/instance.ts'
import { NO_PATIENCE } from '../support/patience.ts'
import { type PostroomProcess, spawnPostroom } from '../support/postroom-process.ts'

/** Two that serve requests, two that work. The second of each reaches the database by a way that can be cut. */
export const MEMBERS = ['web1', 'web2', 'worker1', 'worker2'] as const
export type Member = (typeof MEMBERS)[number]
export type MemberPorts = Record<Member, { http: number; metrics: number }>

const READY_WITHIN_MS = 120_000
const STOPPED_WITHIN_MS = 60_000

export type ServiceFleet = {
  start(member: Member): Promise<void>
  /** `kill -9` */
  kill(member: Member): Promise<void>
  /** Asks it to end, and waits until it has. */
  end(member: Member): Promise<void>
  /** Has it stand still, and go on. */
  freeze(member: Member): void
  thaw(member: Member): void
  stop(): Promise<void>
}

export type FleetSettings = { settings: Record<string, string>; urls: Record<Member, string>; ports: MemberPorts }

export async function serviceFleet({ settings, urls, ports }: FleetSettings): Promise<ServiceFleet> {
  const home = await mkdtemp(join(tmpdir(), 'postroom-fleet-'))
  const running = new Map<Member, PostroomProcess>()
  const signal = (member: Member, name: NodeJS.Signals) => process.kill(running.get(member)!.pid, name)
  /** Like `signal`, of one that may have ended by itself. */
  const signalIfThere = (member: Member, name: NodeJS.Signals) => {
    try {
      signal(member, name)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }

  async function gone(member: Member): Promise<void> {
    const process = running.get(member)!
    let isOver = false
    void process.ended.then(() => {
      isOver = true
    })
    await until(`${member} to end`, async () => isOver, STOPPED_WITHIN_MS)
    running.delete(member)
  }

  return {
    async start(member) {
      const { http, metrics } = ports[member]
      const env = {
        ...settings,
        ...NO_PATIENCE,
        DATABASE_URL: urls[member],
        ROLE: member.startsWith('web') ? 'web' : 'worker',
        PORT: String(http),
        METRICS_ADDR: `127.0.0.1:${metrics}`,
        DATA_DIR: join(home, member),
      }
      const started = spawnPostroom(['start'], { env })
      running.set(member, started)
      // A process without a public port has its probes beside its metrics.
      const probed = member.startsWith('web') ? http : metrics
      const isReady = async () => {
        const answer = await fetch(`http://127.0.0.1:${probed}/readyz`).catch(() => undefined)
        await answer?.body?.cancel()
        return answer?.status === 200
      }
      await until(`${member} to be ready`, isReady, READY_WITHIN_MS).catch((error: unknown) => {
        throw new Error(started.stdout().slice(-2_000) + started.stderr().slice(-2_000), { cause: error })
      })
    },
    async kill(member) {
      signal(member, 'SIGKILL')
      await gone(member)
    },
    async end(member) {
      signal(member, 'SIGTERM')
      await gone(member)
    },
    freeze: (member) => signal(member, 'SIGSTOP'),
    thaw: (member) => signal(member, 'SIGCONT'),
    async stop() {
      for (const member of running.keys()) {
        signalIfThere(member, 'SIGCONT')
        signalIfThere(member, 'SIGTERM')
      }
      await Promise.all([...running.keys()].map(gone))
      await rm(home, { recursive: true, force: true })
    },
  }
}
