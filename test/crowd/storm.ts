import { seededRandom } from '../support/seeded-random.ts'
import { ACTS, nextAct } from './acts.ts'
import { decideUncertain } from './decide-uncertain.ts'
import { createDoer, type Said, type Tally } from './doer.ts'
import { createKiller, type Hardships } from './hardships.ts'
import { judge } from './judge.ts'
import { settle } from './settle.ts'
import { openCrowdWorld } from './world.ts'

/** How often what is uncertain is decided on behind the acts: a server with moods has it be so again. */
const DECISIONS = 3

export type Storm = {
  seed: number
  connections: number
  acts: number
  hardships?: Hardships
  report(line: string): void
}
export type StormResult = {
  faults: string[]
  said: Map<string, Map<number, number>>
  requests: number
  mails: number
  deliveries: number
}

/** Has many people act at once on very few things, waits until all work is done, and holds what is there to what was said. */
export async function crowdStorm({ seed, connections, acts, hardships = {}, report }: Storm): Promise<StormResult> {
  const beganMs = performance.now()
  const tell = (line: string) => report(`${((performance.now() - beganMs) / 1_000).toFixed(1)} s  ${line}`)
  const world = await openCrowdWorld(hardships, seededRandom(seed - 2))
  try {
    tell('the world stands')
    const tallies = Array.from({ length: connections }, (): Tally => ({ said: [], faults: [], act: '' }))
    const kill = createKiller(world, seededRandom(seed - 1))
    let left = acts
    let kills = 0
    const takePart = async (tally: Tally, n: number) => {
      const who = createDoer(world, seededRandom(seed + n), { name: `c${n}`, tally })
      while (left-- > 0) {
        if (hardships.actsPerKill !== undefined && left % hardships.actsPerKill === 0) kills += Number(await kill())
        tally.act = nextAct(who)
        await ACTS[tally.act]!.run(who)
      }
    }
    await Promise.all(tallies.map(takePart))
    tell(`${acts} acts are done${kills > 0 ? `, and ${kills} processes were killed meanwhile` : ''}`)
    const late: Tally = { said: [], faults: [], act: 'settle' }
    const last = createDoer(world, seededRandom(seed), { name: 'settle', tally: late })
    await settle(last, tell)
    for (let round = 1; round <= DECISIONS && (await decideUncertain(last)); round++) {
      tell('what nobody saw taken is decided on')
      await settle(last, tell)
    }
    tell('all work is done')
    const said = [...tallies, late].flatMap((tally) => tally.said)
    const faults = [...tallies, late].flatMap((tally) => tally.faults)
    const judged = await judge(world, said, hardships)
    const [database] = await world.instance.sql<{ deadlocks: string }>(
      'select deadlocks from pg_stat_database where datname = current_database()',
    )
    tell(`all is judged; PostgreSQL has ended ${database!.deadlocks} of those that waited for each other`)
    return {
      faults: [...faults, ...judged],
      said: countedBy(said),
      requests: said.length,
      mails: world.sink.mails.length,
      deliveries: world.witness.requests.length,
    }
  } finally {
    await world.close()
  }
}

function countedBy(said: readonly Said[]): StormResult['said'] {
  const counted: StormResult['said'] = new Map()
  for (const { act, status } of said) {
    const statuses = counted.get(act) ?? new Map<number, number>()
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    counted.set(act, statuses)
  }
  return counted
}
