import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { enrollAutomations } from '../../server/modules/automations/entry/enroll-automations.ts'
import { persistEvent } from '../../server/modules/events/persist-event.ts'
import { createPool } from '../../server/platform/db/pool.ts'
import { migrateJobs } from '../../server/platform/jobs/schema.ts'
import { registerGroups } from '../../server/platform/outbox/consumer.ts'
import { patienceOf } from '../support/patience.ts'
import { seededRandom, seedFrom } from '../support/seeded-random.ts'
import { testWorkspace } from '../support/workspace.ts'
import { compareWorld } from './compare-worlds.ts'
import { Drive } from './drive-engine.ts'
import { ensureWorldPartitions, makeWorld } from './engine-worlds.ts'
import { Interleaving } from './interleave.ts'
import { definitionJson, soundDefinition } from './random-definitions.ts'
import { backfillings, checkings, erasures, type Publishing, pauses, people, publishings } from './random-worlds.ts'
import { WORLDS_AT_ONCE } from './run-worlds.ts'

/*
 * The engine is held to the interpreter: random automations and people, events in transactions that are committed in any order,
 * readers and turns between them in any order or away for hours. Whatever happened, everybody has gone the way that the
 * interpreter says, at the same moments, with the same mails, tags and sums.
 */

/** The long forms: `npm run test:model -- 100000` for so many worlds, `npm run test:mutants` for engines that are wrong. */
const WORLDS = Number(process.env.AUTOMATION_WORLDS ?? 16)
const seed = seedFrom('AUTOMATION_SEED')

test(`in ${WORLDS} random worlds the engine takes everybody the way of the interpreter (AUTOMATION_SEED=${seed})`, {
  timeout: 24 * 3_600_000,
}, async (t) => {
  const { database, pool: writers } = await testWorkspace({ connections: 6 })
  const single = () => createPool({ name: 'sql', url: database.url, max: 1, ...patienceOf(true) })
  const [pool, readers] = [single(), single()]
  const connections = { pool, readers, writers, interleaving: new Interleaving(pool, writers) }
  try {
    await ensureWorldPartitions(writers)
    await migrateJobs(writers, ['default'])
    await registerGroups(writers, [persistEvent, enrollAutomations])
    let steps = 0
    for (let n = 0; n < WORLDS; n += WORLDS_AT_ONCE) {
      const drafts = fc.sample(fc.tuple(definitionJson, people, publishings, backfillings, pauses, erasures), {
        seed: seed + n,
        numRuns: Math.min(WORLDS_AT_ONCE, WORLDS - n),
      })
      const worlds = []
      for (const [given, all, published, gone, pause, erased] of drafts) {
        const json = punctual(given)
        const publishedLater = published.map(punctualVersion)
        const making = { json, people: all, publishings: publishedLater, backfillings: gone, pause, erasures: erased }
        worlds.push({ json, world: await makeWorld(writers, making) })
      }
      const [checks] = fc.sample(checkings, { seed: seed + n, numRuns: 1 }) as [number[]]
      const fails = (told: string) => (cause: unknown) => {
        throw new Error(`AUTOMATION_SEED=${seed + n} AUTOMATION_WORLDS=${WORLDS_AT_ONCE}: ${told}`, { cause })
      }
      const all = worlds.map(({ world }) => world)
      await new Drive(connections, seededRandom(seed + n)).run(all, checks).catch(fails('the engine'))
      for (const { json, world } of worlds) {
        const told = `automation ${world.automationId} ${JSON.stringify([json, world.publishings, world.backfillings, world.pause, [...world.erasedAt]])}`
        steps += (await compareWorld(writers, world, checks).catch(fails(told))).steps
      }
    }
    t.diagnostic(`${steps} steps compared`)
    assert.ok(steps > WORLDS, `${steps} steps`)
  } finally {
    await Promise.all([pool.end(), readers.end()])
  }
})

function punctualVersion({ json, ...rest }: Publishing): Publishing {
  const own = punctual(json)
  return { ...rest, json: own, definition: soundDefinition(own as Record<string, unknown>) }
}

/** Without mails that may be too late: how late a worker is depends on the drive, and everything else does not. */
function punctual(json: object): object {
  return JSON.parse(JSON.stringify(json, (key, value) => (key === 'notLaterThan' ? undefined : value)))
}
