import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { enrollAutomations } from '../../server/modules/automations/entry/enroll-automations.ts'
import { persistEvent } from '../../server/modules/events/persist-event.ts'
import { createPool } from '../../server/platform/db/pool.ts'
import { migrateJobs } from '../../server/platform/jobs/schema.ts'
import { registerGroups } from '../../server/platform/outbox/consumer.ts'
import { patienceOf } from '../support/patience.ts'
import { seededRandom } from '../support/seeded-random.ts'
import { testWorkspace } from '../support/workspace.ts'
import { compareWorld } from './compare-worlds.ts'
import { Drive } from './drive-engine.ts'
import { type EngineWorld, ensureWorldPartitions, makeWorld } from './engine-worlds.ts'
import { Interleaving } from './interleave.ts'
import { soundDefinition } from './random-definitions.ts'
import { type Drawn, drawn, WORLDS_AN_AUTOMATION } from './random-worlds.ts'
import { readWorlds } from './read-worlds.ts'
import { WORLDS_AT_ONCE } from './run-worlds.ts'
import { actMoments, BEGIN } from './world-times.ts'

/*
 * The engine is held to the interpreter: random automations and people, events in transactions that are committed in any order,
 * readers and turns between them in any order or away for hours. Whatever happened, everybody has gone the way that the
 * interpreter says, at the same moments, with the same mails, tags and sums.
 */

/**
 * The long forms: `npm run test:model -- 100000` for so many worlds, `npm run test:mutants` for engines that are wrong. AUTOMATION_ONLY,
 * the number of an automation in its batch, has the others of its batch left out.
 */
const WORLDS = Number(process.env.AUTOMATION_WORLDS ?? 256)
/** How many of them go together, batch by batch; the rest by as many as WORLDS_AT_ONCE. */
const BATCHES = (process.env.AUTOMATION_BATCHES ?? '').split(',').map(Number)
const ONLY = process.env.AUTOMATION_ONLY === undefined ? undefined : Number(process.env.AUTOMATION_ONLY)
const TURNS_AT_ONCE = 4
const CHECKS = 3
/** At how many of the moments at which something is done each is inside, on the average: worlds in which nobody is show nothing. */
const MET_MIN = 1
/** Every run goes through the same worlds, so that a fault is of what has changed; the long forms draw theirs. */
const SEED_OF_EVERY_RUN = 9100
const seed = Number(process.env.AUTOMATION_SEED ?? SEED_OF_EVERY_RUN)

test(`in ${WORLDS} random worlds the engine takes everybody the way of the interpreter (AUTOMATION_SEED=${seed})`, {
  timeout: 24 * 3_600_000,
}, async (t) => {
  const { database, pool: writers } = await testWorkspace({ connections: 6 })
  const single = () => createPool({ name: 'sql', url: database.url, max: 1, ...patienceOf(true) })
  const [readers, ...turns] = [single(), ...Array.from({ length: TURNS_AT_ONCE }, single)]
  const connections = { turns, readers, writers, interleaving: new Interleaving(turns, writers) }
  try {
    await ensureWorldPartitions(writers)
    await migrateJobs(writers, ['default'])
    await registerGroups(writers, [persistEvent, enrollAutomations])
    const told = { steps: 0, people: 0, inside: 0 }
    const batches = [...BATCHES]
    for (let n = 0, worlds = 0; n < WORLDS; n += worlds) {
      worlds = Math.min(batches.shift() || WORLDS_AT_ONCE, WORLDS - n)
      const batch = { seed: seed + n, worlds }
      const { steps, people, inside } = await holdBatch(connections, batch).catch((cause) => {
        throw new Error(`AUTOMATION_SEED=${batch.seed} AUTOMATION_WORLDS=${batch.worlds}: ${cause.message}`, { cause })
      })
      told.steps += steps
      told.people += people
      told.inside += inside
    }
    const met = (told.inside / told.people).toFixed(1)
    t.diagnostic(`${told.steps} steps of ${told.people} people compared; each was there when ${met} things were done`)
    assert.ok(ONLY !== undefined || told.steps > WORLDS, `${told.steps} steps`)
    assert.ok(ONLY !== undefined || told.inside > told.people * MET_MIN, `each met ${met}`)
  } finally {
    await Promise.all([readers, ...turns].map((pool) => pool.end()))
  }
})

type Connections = ConstructorParameters<typeof Drive>[0]

/** Has the engine go through the worlds of a seed, all at once, and compares each of them. */
async function holdBatch(connections: Connections, { seed: own, worlds: count }: { seed: number; worlds: number }) {
  const chance = seededRandom(own)
  const moments = fc.sample(actMoments, { seed: own, numRuns: 1 })[0]!
  const nth = (of: number) => moments.filter((_, n) => n % Math.ceil(moments.length / CHECKS) === of)
  const times = {
    moments,
    checks: nth(1),
    looks: [moments[0]!, ...nth(2)],
    sweeps: moments.filter((_, n) => n % 2 === 0),
  }
  const automations = Math.ceil(count / WORLDS_AN_AUTOMATION)
  const drafts = fc.sample(drawn(moments), { seed: own, numRuns: automations }).map(punctual)
  const worlds: EngineWorld[] = []
  const clock = new Date(BEGIN / 1_000).toISOString()
  await connections.turns[0]!.query(`select set_config('postroom.clock', $1, false)`, [clock])
  // One after the other, and those left out as well: ways at splits and who is held out hang on ids, and a seed is to bring the same ones.
  for (const draft of drafts) worlds.push(await makeWorld(connections.turns[0]!, draft))
  const chosen = [...drafts.entries()].filter(([n]) => ONLY === undefined || n === ONLY)
  const all = chosen.map(([n]) => worlds[n]!)
  await new Drive(connections, chance).run(all, times)
  const found = await readWorlds(connections.writers, all)
  let [steps, people, inside] = [0, 0, 0]
  for (const [n, draft] of chosen) {
    const world = worlds[n]!
    try {
      const compared = compareWorld(world, found.get(world.workspaceId)!, times)
      steps += compared.steps
      inside += compared.inside
    } catch (cause) {
      const of = `AUTOMATION_ONLY=${n}, automation ${world.automationId} ${JSON.stringify([draft.json, draft.acts])}`
      throw new Error(`${of}: ${(cause as Error).message}`, { cause })
    }
    people += draft.people.length
  }
  return { steps, people, inside }
}

/** Without mails that may be too late: how late a worker is depends on the drive, and everything else does not. */
function punctual({ json, people, segments, acts }: Drawn): Drawn {
  const publishings = acts.publishings.map((one) => {
    const own = withoutLateness(one.json)
    return { ...one, json: own, definition: soundDefinition(own as Record<string, unknown>) }
  })
  return { json: withoutLateness(json), people, segments, acts: { ...acts, publishings } }
}

function withoutLateness(json: object): object {
  return JSON.parse(JSON.stringify(json, (key, value) => (key === 'notLaterThan' ? undefined : value)))
}
