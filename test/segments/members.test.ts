import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { compileMembers } from '../../server/modules/segments/compile-members.ts'
import type { IdRange } from '../../server/modules/segments/id-range.ts'
import { createSegment } from '../../server/modules/segments/manage-segments.ts'
import { readRules } from '../../server/modules/segments/read-rules.ts'
import { loadFacts } from '../../server/modules/segments/segment-facts.ts'
import { createQueryBuilder } from '../../server/platform/db/query-builder.ts'
import { ALL_WORKSPACES, inTransaction, type Scope } from '../../server/platform/db/transaction.ts'
import { seededRandom, seedFrom } from '../support/seeded-random.ts'
import { callerOf, createWorkspace, testWorkspace } from '../support/workspace.ts'
import { naiveMembers } from './naive-members.ts'
import { randomDefinition } from './random-definitions.ts'
import { storePeople } from './store-world.ts'
import { FIELD_TYPES, NOW, type Random, TAGS, type World } from './world.ts'

const CASES = Number(process.env.SEGMENT_CASES ?? 3_000)
const WORLDS = 4
const SEGMENTS = 4
/** Definitions of one statement. */
const TOGETHER = 25

const { pool } = await testWorkspace()
const seed = seedFrom('SEGMENT_SEED')
const build = createQueryBuilder<Record<string, never>>()

test(`${CASES} random definitions have the members that a naive evaluation gives them (SEGMENT_SEED=${seed})`, async () => {
  const random = seededRandom(seed)
  const worlds: { workspaceId: string; world: World }[] = []
  // All of them first: each is the others' neighbour, with the same names of everything.
  for (let n = 0; n < WORLDS; n++) worlds.push(await makeWorld(random))
  let members = 0
  let tooMuch = 0
  for (let first = 0; first < CASES; first += TOGETHER) {
    const { workspaceId, world } = worlds[(first / TOGETHER) % WORLDS] as (typeof worlds)[number]
    const ids = world.segments.map((segment) => segment.id)
    const definitions = Array.from({ length: TOGETHER }, () => randomDefinition(random, ids))
    // Without row-level security too: each table is held to the workspace by the statement itself.
    const scope = (first / TOGETHER) % 2 === 0 ? workspaceId : ALL_WORKSPACES
    const ranges = (first / TOGETHER) % 3 === 0 ? thirdsOf(world) : [null]
    const found = await membersOf({ workspaceId, scope, ranges }, definitions)
    for (const [index, definition] of definitions.entries()) {
      if (found[index] === undefined) {
        tooMuch++
        continue
      }
      const expected = naiveMembers(world, definition)
      members += expected.length
      assert.deepEqual(found[index], expected, `seed ${seed}, workspace ${workspaceId}: ${definition}`)
    }
  }
  assert.ok(tooMuch < CASES / 20, `${tooMuch} of ${CASES} definitions have too many rules about events`)
  const share = members / CASES / (worlds[0]?.world.people.length ?? 1)
  assert.ok(share > 0.2 && share < 0.8, `the cases tell something: ${share} of all contacts belong`)
})

async function makeWorld(random: Random): Promise<{ workspaceId: string; world: World }> {
  const workspaceId = await createWorkspace(pool)
  const people = await storePeople(pool, workspaceId, random)
  const segments: World['segments'] = []
  for (let n = 0; n < SEGMENTS; n++) {
    const definition = randomDefinition(
      random,
      segments.map((segment) => segment.id),
    )
    const deps = { sql: pool }
    const created = await createSegment(deps, callerOf(workspaceId), { name: `Segment ${n}`, definition })
    segments.push({ id: created.id, definition })
  }
  return { workspaceId, world: { now: NOW, fieldTypes: FIELD_TYPES, tags: TAGS, segments, people } }
}

/** Of a world's contacts, as a large audience is put together. */
function thirdsOf({ people }: World): IdRange[] {
  const ids = people.map(({ id }) => BigInt(id)).sort((one, other) => Number(one - other))
  const at = (part: number) => String(ids[Math.floor((ids.length * part) / 3)])
  return [
    { after: '0', to: at(1) },
    { after: at(1), to: at(2) },
    { after: at(2), to: String(ids.at(-1)) },
  ]
}

type Asked = { workspaceId: string; scope: Scope; ranges: readonly (IdRange | null)[] }

async function membersOf(of: Asked, definitions: readonly string[]) {
  return inTransaction(pool, of.scope, async (tx) => {
    const facts = { ...(await loadFacts(tx, of.workspaceId, definitions)), now: NOW }
    const parts = definitions.map((definition, index) => {
      const read = readRules(definition, facts)
      if (isTooMuch(read)) return undefined
      assert.ok('condition' in read, `${JSON.stringify(read)} ${definition}`)
      const sets = of.ranges.map((range) => sql`(${compileMembers(of.workspaceId, read.condition, range)})`)
      const members = sql.join(sets, sql` union all `)
      return sql`select ${sql.lit(index)}::integer as n, array(select id from (${members}) m order by id)::text[] as ids`
    })
    const asked = parts.filter((part) => part !== undefined)
    const { sql: text, parameters } = sql`${sql.join(asked, sql` union all `)}`.compile(build)
    const statement = { text, values: [...parameters], query_timeout: 30_000 }
    const { rows } = await tx.query<{ n: number; ids: string[] }>(statement)
    const byDefinition = new Map(rows.map((row) => [row.n, row.ids]))
    return definitions.map((_, index) => byDefinition.get(index))
  })
}

/** A definition that is well-formed and, with the segments it names, has more rules about events than one may. */
function isTooMuch(read: ReturnType<typeof readRules>): boolean {
  return 'faults' in read && read.faults.every(({ detail }) => detail?.includes('is too much'))
}
