import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '../../../test/support/postgres.ts'
import { seededRandom, seedFrom } from '../../../test/support/seeded-random.ts'
import { withClient } from '../../../test/support/test-server.ts'
import { secretKeys } from '../../platform/crypto/secret-box.ts'
import { createPool } from '../../platform/db/pool.ts'
import { inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import { pruneAudit } from './prune-audit.ts'
import { recordSystemAudit } from './record-audit.ts'
import { type ChainDeps, sealAudit } from './seal-audit.ts'
import { verifyAudit } from './verify-audit.ts'

const ROUNDS = 120
const ENTRIES = 12
const notStopping = new AbortController().signal

const seed = seedFrom('AUDIT_SEED')
const random = seededRandom(seed)
const upTo = (most: number) => 1 + Math.floor(random() * most)

const keysNamed = (...ids: string[]) => secretKeys(ids.map((id) => ({ id, key: Buffer.alloc(32, id) })))

let database: TestDatabase
let deps: ChainDeps

before(async () => {
  database = await createTestDatabase()
  deps = { sql: createPool({ name: 'sql', url: database.url, max: 8 }), keys: keysNamed('first') }
})
after(async () => {
  await deps.sql.end()
  await database.drop()
})

/** A new workspace with sealed entries, the oldest a day older than the next. */
async function sealedLog(entries: number): Promise<string> {
  const { rows } = await deps.sql.query<{ id: string }>(
    `insert into workspaces (slug, name) select 'w' || count(*), 'W' from workspaces returning id`,
  )
  const { id } = rows[0]!
  await record(id, entries)
  await sealAudit(deps)
  return id
}

async function record(workspaceId: string, count: number): Promise<void> {
  await inTransaction(deps.sql, workspaceId, async (tx) => {
    for (let id = 1; id <= count; id += 1) {
      const target = { type: 'row', id: String(id), name: 'Zeile „ü“' }
      await recordSystemAudit(tx, workspaceId, { action: 'row.create', target, diff: { n: { from: null, to: id } } })
    }
  })
}

/** Changes the log as somebody does who has the database to themselves. */
async function tamper(statement: string): Promise<void> {
  await withClient(database.superuserUrl, async (client) => {
    await client.query("set session_replication_role = 'replica'")
    await client.query(statement)
  })
}

async function forget(workspaceId: string): Promise<void> {
  const where = `where workspace_id = ${workspaceId}`
  await tamper(`delete from audit_entries ${where}; delete from audit_chains ${where}`)
}

async function foundIn(workspaceId: string) {
  const { intact, brokenAt, fault } = await verifyAudit(deps, workspaceId)
  const inSteps = await verifyAudit(deps, workspaceId, { stepEntries: 5 })
  assert.deepEqual([inSteps.brokenAt, inSteps.fault], [brokenAt, fault])
  return intact ? 'intact' : `${fault} at ${brokenAt}`
}

test('an empty log is intact', async () => {
  const { seal, ...state } = await verifyAudit(deps, '900')
  assert.deepEqual(state, {
    intact: true,
    sealedEntries: 0,
    unsealedEntries: 0,
    prunedEntries: 0,
    brokenAt: null,
    fault: null,
  })
  assert.match(seal, /^[0-9a-f]{64}$/)
})

test('entries are sealed once each, also when several processes seal while others record', async () => {
  const id = await sealedLog(1_500)
  const recording = [1, 2, 3].map(() => record(id, 20))
  await Promise.all([...recording, sealAudit(deps), sealAudit(deps), sealAudit(deps)])
  await sealAudit(deps)
  const state = await verifyAudit(deps, id)
  assert.deepEqual([state.intact, state.sealedEntries, state.unsealedEntries], [true, 1_560, 0])
  assert.equal(await sealAudit(deps), 0)
  assert.equal((await verifyAudit(deps, id)).seal, state.seal)
})

test('a long log is verified in steps, by several requests where one has no time for it', async () => {
  const id = await sealedLog(50)
  const inParts = async (between = async () => {}) => {
    const cursors: string[] = []
    let state = await verifyAudit(deps, id, { stepEntries: 20, forMs: 0 })
    while (state.nextCursor !== undefined) {
      cursors.push(state.nextCursor)
      await between()
      state = await verifyAudit(deps, id, { stepEntries: 20, forMs: 0, cursor: state.nextCursor })
    }
    return { cursors, state }
  }
  const whole = await verifyAudit(deps, id)
  assert.deepEqual(await inParts(), { cursors: ['20', '40'], state: whole })
  assert.deepEqual(await verifyAudit(deps, id, { stepEntries: 20 }), whole)
  assert.deepEqual((await verifyAudit(deps, id, { stepEntries: 25 })).intact, true, 'a last step of nothing')
  const { state } = await inParts(async () => {
    await record(id, 5)
    await sealAudit(deps)
  })
  assert.deepEqual([state.intact, state.sealedEntries], [true, 65], 'what is sealed meanwhile is no fault')
  await tamper(`update audit_entries set action = 'row.other' where workspace_id = ${id} and sequence = 41`)
  for (const stepEntries of [20, 40, 1_000]) {
    const { brokenAt, fault } = await verifyAudit(deps, id, { stepEntries })
    assert.deepEqual([brokenAt, fault], [41, 'changed'])
  }
})

test('a sealed entry takes no other seal', async () => {
  const id = await sealedLog(1)
  const again = queryInScope(deps.sql, id, { text: 'update audit_entries set seal = null where sequence = 1' })
  await assert.rejects(again, /never changed/)
})

const of = (workspaceId: string, condition: string) => `where workspace_id = ${workspaceId} and ${condition}`

/** Seals a log anew from a place on as the program does, but without its key. */
const reseal = (workspaceId: string, from: number) => `do $$
  declare
    entry audit_entries;
    chain bytea := (select seal from audit_entries ${of(workspaceId, `sequence = ${from - 1}`)});
  begin
    chain := coalesce(chain, (select anchor_seal from audit_chains where workspace_id = ${workspaceId}));
    for entry in select * from audit_entries ${of(workspaceId, `sequence >= ${from}`)} order by sequence loop
      chain := audit_seal(chain, entry.sequence, entry);
      update audit_entries set seal = chain ${of(workspaceId, 'id = entry.id')};
    end loop;
    update audit_chains set seal = chain where workspace_id = ${workspaceId};
  end $$`

/** Ways to tamper with a log of ENTRIES entries: the statement, and what has to be found; a place within is random. */
const WAYS: Record<string, (workspaceId: string) => { statement: string; found: string }> = {
  'an edit'(id) {
    const at = upTo(ENTRIES)
    const edits = [
      `diff = '{"n": "changed"}'`,
      `actor_kind = 'operator'`,
      `actor_name = 'x'`,
      `action = 'row.delete'`,
      `target_name = null`,
      `occurred_at = occurred_at - interval '1 microsecond'`,
      `ip = '192.0.2.1'`,
      `seal = sha256(seal)`,
    ]
    const edit = edits[upTo(edits.length) - 1]
    return { statement: `update audit_entries set ${edit} ${of(id, `sequence = ${at}`)}`, found: `changed at ${at}` }
  },
  'a deletion'(id) {
    const at = upTo(ENTRIES)
    return { statement: `delete from audit_entries ${of(id, `sequence = ${at}`)}`, found: `missing at ${at}` }
  },
  'a swap'(id) {
    const [one, other] = [upTo(ENTRIES - 1), ENTRIES]
    const swapped = `case sequence when ${one} then ${other} else ${one} end`
    const statement = `drop index audit_by_sequence;
      update audit_entries set sequence = ${swapped} ${of(id, `sequence in (${one}, ${other})`)};
      create unique index audit_by_sequence on audit_entries (workspace_id, sequence) where sequence is not null`
    return { statement, found: `changed at ${one}` }
  },
  'a cut tail'(id) {
    const kept = upTo(ENTRIES - 1)
    return { statement: `delete from audit_entries ${of(id, `sequence > ${kept}`)}`, found: `missing at ${kept + 1}` }
  },
  'a cut tail with the end moved'(id) {
    const kept = upTo(ENTRIES - 1)
    const statement = `delete from audit_entries ${of(id, `sequence > ${kept}`)};
      update audit_chains set sequence = ${kept},
        seal = (select seal from audit_entries ${of(id, `sequence = ${kept}`)}) where workspace_id = ${id}`
    return { statement, found: `resealed at ${kept}` }
  },
  'a cut head'(id) {
    return {
      statement: `delete from audit_entries ${of(id, `sequence <= ${upTo(ENTRIES - 1)}`)}`,
      found: 'missing at 1',
    }
  },
  'a cut head with the anchor moved'(id) {
    const cut = upTo(ENTRIES - 1)
    const statement = `update audit_chains set anchor_sequence = ${cut},
        anchor_seal = (select seal from audit_entries ${of(id, `sequence = ${cut}`)}) where workspace_id = ${id};
      delete from audit_entries ${of(id, `sequence <= ${cut}`)}`
    return { statement, found: `resealed at ${ENTRIES}` }
  },
  'a rewritten part, sealed anew'(id) {
    const at = upTo(ENTRIES)
    const statement = `update audit_entries set target_name = 'x' ${of(id, `sequence = ${at}`)}; ${reseal(id, at)}`
    return { statement, found: `resealed at ${ENTRIES}` }
  },
  'a chain without its mark'(id) {
    return {
      statement: `update audit_chains set mac = null where workspace_id = ${id}`,
      found: `resealed at ${ENTRIES}`,
    }
  },
  'a chain thrown away'(id) {
    return { statement: `delete from audit_chains where workspace_id = ${id}`, found: 'added at 1' }
  },
}

test('whatever is edited, deleted, swapped, cut off or sealed anew is found, and stays found', async () => {
  console.log(`seed ${seed}`)
  const ways = Object.keys(WAYS)
  for (let round = 0; round < ROUNDS; round += 1) {
    const way = ways[round % ways.length]!
    const id = await sealedLog(ENTRIES)
    assert.equal(await foundIn(id), 'intact')
    const { statement, found } = WAYS[way]!(id)
    await tamper(statement)
    assert.equal(await foundIn(id), found, `${way}: ${statement}`)
    await record(id, 1)
    await sealAudit(deps).catch(() => undefined)
    await pruneAudit(deps, notStopping)
    assert.notEqual(await foundIn(id), 'intact', `${way}, after more entries: ${statement}`)
    await forget(id)
  }
})

/** Makes the first entries old, as time would, before they are sealed. */
async function agedLog(old: number): Promise<string> {
  const id = await sealedLog(0)
  await record(id, ENTRIES)
  await tamper(`update audit_entries set occurred_at = occurred_at - interval '40 days' where workspace_id = ${id}
    and id in (select id from audit_entries where workspace_id = ${id} order by id limit ${old})`)
  await sealAudit(deps)
  return id
}

const keep = (id: string, days: number | null) =>
  deps.sql.query('update workspaces set audit_retention_days = $2 where id = $1', [id, days])

test('retention takes the oldest entries, and what stays can be proved from its anchor on', async () => {
  const id = await agedLog(5)
  await pruneAudit(deps, notStopping)
  assert.equal((await verifyAudit(deps, id)).sealedEntries, ENTRIES, 'for ever, without a setting')
  await keep(id, 30)
  const before = await verifyAudit(deps, id)
  assert.equal(await pruneAudit(deps, notStopping), 5)
  const after = await verifyAudit(deps, id)
  assert.deepEqual(
    [after.intact, after.sealedEntries, after.prunedEntries, after.seal],
    [true, ENTRIES - 5, 5, before.seal],
  )
  assert.equal(await pruneAudit(deps, notStopping), 0)
  await record(id, 3)
  await sealAudit(deps)
  assert.equal(await foundIn(id), 'intact')
  await tamper(`delete from audit_entries ${of(id, 'sequence = 6')}`)
  assert.equal(await foundIn(id), 'missing at 6')
  await keep(id, null)
})

test('a log that is old as a whole leaves its anchor, and goes on from there', async () => {
  const id = await agedLog(ENTRIES)
  await keep(id, 30)
  assert.equal(await pruneAudit(deps, notStopping), ENTRIES)
  assert.equal(await foundIn(id), 'intact')
  await record(id, 2)
  await sealAudit(deps)
  const state = await verifyAudit(deps, id)
  assert.deepEqual([state.intact, state.sealedEntries, state.prunedEntries], [true, 2, ENTRIES])
  await keep(id, null)
})

test('retention may take what a verification in parts has looked at, and more', async () => {
  const id = await agedLog(5)
  await keep(id, 30)
  assert.equal(await pruneAudit(deps, notStopping), 5)
  for (const cursor of ['3', '5', '6']) assert.equal((await verifyAudit(deps, id, { cursor })).fault, null, cursor)
})

test('retention takes nothing from a log that was tampered with', async () => {
  for (const statement of [
    (id: string) => `update audit_entries set actor_name = 'x' ${of(id, 'sequence = 3')}`,
    (id: string) => `delete from audit_entries ${of(id, 'sequence = 2')}`,
    (id: string) => `update audit_chains set mac = null where workspace_id = ${id}`,
  ]) {
    const id = await agedLog(5)
    await keep(id, 30)
    await tamper(statement(id))
    const found = await foundIn(id)
    assert.equal(await pruneAudit(deps, notStopping), 0)
    assert.equal(await foundIn(id), found)
    await keep(id, null)
  }
})

test('a log that cannot be sealed holds up no other', async () => {
  const broken = await sealedLog(2)
  await tamper(`delete from audit_chains where workspace_id = ${broken}`)
  await record(broken, 1)
  const { rows } = await deps.sql.query<{ id: string }>(
    "insert into workspaces (slug, name) values ('z', 'Z') returning id",
  )
  const { id } = rows[0]!
  await record(id, 2)
  await assert.rejects(sealAudit(deps), /1 audit logs could not be worked on/)
  assert.equal((await verifyAudit(deps, id)).sealedEntries, 2)
  await forget(broken)
})

test('after a rotation of ENCRYPTION_KEY chains hold, and are marked with the new key', async () => {
  const id = await sealedLog(3)
  const rotated = { ...deps, keys: keysNamed('second', 'first') }
  assert.ok((await verifyAudit(rotated, id)).intact)
  const without = { ...deps, keys: keysNamed('second') }
  assert.equal((await verifyAudit(without, id)).fault, 'key_unknown')
  await sealAudit(rotated)
  assert.ok((await verifyAudit(without, id)).intact, 'the old key may be taken away')
})
