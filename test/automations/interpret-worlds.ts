import assert from 'node:assert/strict'
import type pg from 'pg'
import type { Proof } from '../../server/catalogue/proofs.ts'
import type { Definition } from '../../server/modules/automations/definition/definition.ts'
import { shareOf } from '../../server/modules/automations/definition/share-of.ts'
import { microsOf } from '../../server/modules/automations/micros.ts'
import { backfillNow, backfillThen } from '../../server/modules/automations/run/model/backfill.ts'
import {
  checkWaits,
  type Followed,
  follow,
  followPaused,
  type Happening,
  nobodyYet,
} from '../../server/modules/automations/run/model/follow.ts'
import { forget } from '../../server/modules/automations/run/model/forget.ts'
import type { Facts, Interpreted, Micros } from '../../server/modules/automations/run/model/model-run.ts'
import { publish } from '../../server/modules/automations/run/model/publish.ts'
import { queryInScope } from '../../server/platform/db/transaction.ts'
import { type EngineWorld, inForceAt, triggersOf } from './engine-worlds.ts'
import { type Backfilling, factsOf, isIn, type Person, type Publishing, UNTIL } from './random-worlds.ts'

/** Moments at which those who wait for what no event tells are asked. */
export type Checks = readonly number[]

/** Somebody of a world as the interpreter sees them: all that happens to them, and what has come of it so far. */
type Watched = { contactId: string; happenings: readonly Happening[]; facts: Facts; followed: Followed }

/** The ways of all contacts of a world by the interpreter, from the events as the log has them, by their ids. */
export async function interpretedWays(
  pool: pg.Pool,
  world: EngineWorld,
  checks: Checks,
): Promise<ReadonlyMap<string, Followed>> {
  const all: Watched[] = []
  for (const { person, contactId } of world.people) all.push(await watched(pool, world, { person, contactId }))
  const { pause } = world
  const planned = [...world.publishings, ...world.backfillings].map(({ at }) => at)
  if (pause !== null) planned.push(pause.from, pause.until)
  planned.push(...world.erasedAt.values())
  let from = -1
  const followTo = (until: Micros) => {
    const definition = inForceAt(world, from)
    const isPaused = isIn(pause, until) && until > pause!.from
    // What became due in a pause is done when it ends.
    const since = isPaused && until === pause!.until ? pause!.from : from
    for (const { happenings, facts, followed } of all) {
      const within = (after: Micros) => happenings.filter(({ at }) => at > after && at <= until)
      if (isPaused) followPaused(followed, within(from))
      if (!isPaused || until === pause!.until)
        follow(interpretedBy(world, definition, facts), followed, { happenings: within(since), until })
    }
    from = until
  }
  for (const at of [...new Set([...planned, ...checks])].sort((one, other) => one - other)) {
    followTo(at)
    for (const one of world.publishings) if (one.at === at) publishTo(world, all, one)
    if (checks.includes(at) && !isIn(pause, at)) for (const { followed } of all) checkWaits(followed, at)
    for (const one of world.backfillings) if (one.at === at) backfillTo(world, all, one)
    for (const { contactId, followed } of all) if (world.erasedAt.get(contactId) === at) forget(followed)
  }
  followTo(UNTIL)
  return new Map(all.map(({ contactId, followed }) => [contactId, followed]))
}

const interpretedBy = ({ automationId }: EngineWorld, definition: Definition, facts: Facts): Interpreted => ({
  ...{ automationId, definition, facts, wallAt: (at) => at },
})

async function watched(
  pool: pg.Pool,
  { workspaceId, automationId }: EngineWorld,
  { person, contactId }: { person: Person; contactId: string },
): Promise<Watched> {
  type Row = { position: string; at: string; name: string; data: string; proof: Proof | null }
  const events = await queryInScope<Row>(pool, workspaceId, {
    text: `select id as position, recorded_at as at, name, data, proof from events
      where workspace_id = $1 and contact_id = $2 and type = 'event.recorded' order by id`,
    values: [workspaceId, contactId],
  })
  assert.equal(events.length, person.happenings.length)
  const happenings = events.map(
    ({ position, at, name, data, proof }): Happening => ({
      ...{ at: Number(microsOf(at)), position: Number(position), name, data: JSON.parse(data), proof, depth: 0 },
    }),
  )
  const followed = nobodyYet()
  const bucket = (of: string) => shareOf(of === '' ? `holdout/${automationId}` : `split/${of}`, contactId)
  return { contactId, happenings, followed, facts: { ...factsOf(person, followed.effects), bucket } }
}

function publishTo(world: EngineWorld, all: readonly Watched[], { at, definition, moving }: Publishing): void {
  for (const { facts, followed, happenings } of all) {
    publish(interpretedBy(world, definition, facts), followed, { at, moving, before: happenings })
  }
}

/** Triggers by which nobody has come in; of those who begin now the newest of the whole world is the first. */
function backfillTo(world: EngineWorld, everybody: readonly Watched[], { at, from, asOf }: Backfilling): void {
  const all = everybody.filter(({ contactId }) => (world.erasedAt.get(contactId) ?? at) >= at)
  const definition = inForceAt(world, at)
  const names = triggersOf(definition)
  const past = all.flatMap(({ contactId, happenings, followed: { stories } }) => {
    const entered = new Set(stories.map(({ run }) => run.enteredPosition))
    return happenings
      .filter((one) => one.at >= from && one.at <= at && names.includes(one.name!) && !entered.has(one.position))
      .map((happening) => ({ contactId, happening }))
  })
  const newest = past.toSorted((one, other) => other.happening.position - one.happening.position)
  const placed = newest.map((one, n) => ({ ...one, beginsAt: asOf === 'now' ? at + n + 1 : one.happening.at }))
  for (const { contactId, happenings, facts, followed } of all) {
    const own = placed.filter((one) => one.contactId === contactId)
    const of = interpretedBy(world, definition, facts)
    if (asOf === 'now') backfillNow(of, followed, { past: own })
    else backfillThen(of, followed, { at, past: own, before: happenings })
  }
}
