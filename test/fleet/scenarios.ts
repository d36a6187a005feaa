import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../crash/traffic.ts'
import type { TcpProxy } from '../support/tcp-proxy.ts'
import { type DatabaseFleet, NODES } from './database-fleet.ts'
import { MEMBERS, type ServiceFleet } from './service-fleet.ts'

export type Fleet = { database: DatabaseFleet; services: ServiceFleet; way: TcpProxy; random: Random }

/** Something that happens to a fleet at work; resolves when all of it is there again. */
export type Scenario = { name: string; run(fleet: Fleet): Promise<void> }

const KILLS = 8
const FROZEN_MS = 15_000
const CUT_MS = 20_000
const ALONE_MS = 10_000
const BETWEEN_MS = 1_500

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'kills of web and worker processes',
    async run({ services, random }) {
      for (let kill = 0; kill < KILLS; kill++) {
        const member = MEMBERS[Math.floor(random() * MEMBERS.length)]!
        await services.kill(member)
        await sleep(random() * BETWEEN_MS)
        await services.start(member)
      }
    },
  },
  {
    name: 'switchover',
    async run({ database }) {
      await database.switchover()
      await database.settled()
    },
  },
  {
    name: 'failover (kill -9 of the primary)',
    async run({ database }) {
      const primary = await database.primary()
      await database.kill(primary)
      await database.primary(primary)
      await database.start(primary)
      await database.settled()
    },
  },
  {
    name: 'frozen worker (SIGSTOP), each in turn',
    async run({ services }) {
      // One of the two has the endpoint's lane.
      for (const worker of ['worker1', 'worker2'] as const) {
        services.freeze(worker)
        await sleep(FROZEN_MS)
        services.thaw(worker)
      }
    },
  },
  {
    name: 'half-open proxy before one web and one worker',
    async run({ way }) {
      await way.become('swallow')
      await sleep(CUT_MS)
      await way.become('pass')
    },
  },
  {
    name: 'no standby',
    async run({ database }) {
      const primary = await database.primary()
      const standbys = NODES.filter((node) => node !== primary)
      for (const node of standbys) await database.kill(node)
      await sleep(ALONE_MS)
      for (const node of standbys) await database.start(node)
      await database.settled()
    },
  },
  {
    name: 'rolling restart',
    async run({ services }) {
      for (const member of MEMBERS) {
        await services.end(member)
        await services.start(member)
      }
    },
  },
]
