import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testWorkspace } from '../../../../test/support/workspace.ts'
import { inTransaction, queryInScope } from '../../../platform/db/transaction.ts'
import type { SystemMail } from '../../system-mail/system-mailer.ts'
import { publishVersion } from '../definition/publish-version.ts'
import { automationForChange, setSwitches } from '../definition/queries.ts'
import { putEntries } from '../entry/put-entries.ts'
import { haltWhereManyFail, isTooMany } from './halt-node.ts'
import { steerRuns } from './steer-runs.ts'
import { takeStretch } from './take-stretch.ts'

const PEOPLE = 12
const { pool, workspaceId, caller } = await testWorkspace()
const rows = <R extends object>(text: string, values: unknown[] = []) =>
  queryInScope<R>(pool, workspaceId, { text, values })

test('a node is halted for a hundred that failed there, or ten that are over a hundredth of all who came', () => {
  assert.ok(isTooMany({ parked: 100, came: 1_000_000 }))
  assert.ok(!isTooMany({ parked: 99, came: 1_000_000 }))
  assert.ok(isTooMany({ parked: 10, came: 999 }))
  assert.ok(!isTooMany({ parked: 10, came: 1_000 }))
  assert.ok(!isTooMany({ parked: 9, came: 9 }))
})

test('where many fail people gather untried, owners are told once, and trying again or going past leads on', async () => {
  const id = await automation({
    first: { type: 'tag', add: ['first'], to: 'second' },
    second: { type: 'tag', add: ['second'], to: 'end' },
  })
  await rows(
    `with u as (insert into users (email, name, password_hash) values ('owner@example.com', 'Owner', '$argon2id$none') returning id)
     insert into memberships (workspace_id, user_id, role) select $1, id, 'owner' from u`,
    [workspaceId],
  )
  const mails: SystemMail[] = []
  const mailer = { queue: async (_tx: unknown, mail: SystemMail) => void mails.push(mail) }
  const place = { workspaceId, automationId: id, node: 'second' }
  await haltWhereManyFail({ pool, mailer }, place)
  assert.deepEqual(await halted(id), [], 'nobody has failed')
  await rows(
    `insert into runs (workspace_id, automation_id, version, contact_id, entry_key, entered_at, depth, node, visit, state, at,
       at_position, error, parked_at)
     select $1, $2, 1, c.id, 'failed', now(), 0, 'second', 2, 'parked', now(), 0, 'no way', now() from contacts c`,
    [workspaceId, id],
  )
  for (let n = 0; n < 2; n++) await haltWhereManyFail({ pool, mailer }, place)
  assert.deepEqual(await halted(id), ['second'])
  assert.deepEqual(
    mails.map(({ recipient, content: { subject } }) => [recipient, subject]),
    [['owner@example.com', 'Halting is halted at “second”']],
  )
  await rows(`delete from runs where entry_key = 'failed'`)

  await work(id)
  const inside = () =>
    rows<{ node: string; state: string; n: string }>(
      'select node, state, count(*) as n from runs where automation_id = $1 group by 1, 2',
      [id],
    )
  assert.deepEqual(await inside(), [{ node: 'second', state: 'parked', n: String(PEOPLE) }])
  assert.deepEqual(await rows('select from run_queue where automation_id = $1', [id]), [], 'nothing leads them on')
  const [one] = await rows<{ id: string }>('select id from runs where automation_id = $1 order by id limit 1', [id])
  assert.deepEqual(await steerRuns({ sql: pool }, caller, { id, runId: one!.id, act: 'skip' }), { runs: 1 })
  await work(id)
  assert.deepEqual(await halted(id), ['second'], 'going past it is no trying')
  assert.deepEqual(await steerRuns({ sql: pool }, caller, { id, act: 'retry' }), { runs: PEOPLE - 1 })
  assert.deepEqual(await halted(id), [])
  await work(id)
  assert.deepEqual(await inside(), [])
  const tagged = await rows<{ name: string; n: string }>(
    'select name, count(*) as n from contact_tags join tags on tags.id = tag_id group by 1 order by 1',
  )
  assert.deepEqual(tagged, [
    { name: 'first', n: String(PEOPLE) },
    { name: 'second', n: String(PEOPLE - 1) },
  ])
})

test('after a pause that was ended with drop, mail that was due too long before is skipped, and what comes after is not', async () => {
  const mail = { type: 'email', subject: 'Hello', body: '<p>{{ unsubscribe_url }}</p>' }
  const id = await automation({
    early: { ...mail, to: 'rest' },
    rest: { type: 'delay', minutes: 30, to: 'late' },
    late: { ...mail, to: 'end' },
  })
  await rows(`update automations set mail_from = now() - interval '15 minutes' where id = $1`, [id])
  await rows(`update run_queue set due_at = now() - interval '40 minutes' where automation_id = $1`, [id])
  await work(id)
  const ways = await rows<{ node: string; way: string; seen: string; n: string }>(
    `select node, way, coalesce(seen ->> 'skipped', '') as seen, count(*) as n from run_steps
     where automation_id = $1 and node in ('early', 'late') group by 1, 2, 3 order by 1`,
    [id],
  )
  assert.deepEqual(ways, [
    { node: 'early', way: 'skipped', seen: 'too_late', n: String(PEOPLE) },
    { node: 'late', way: 'to', seen: '', n: String(PEOPLE) },
  ])
})

/** Published, open, and people want to come in. */
async function automation(nodes: Record<string, object>): Promise<string> {
  return inTransaction(pool, workspaceId, async (tx) => {
    const draft = { format: 1, enter: { on: [{ manual: true }] }, start: Object.keys(nodes)[0], nodes }
    const made = await tx.query<{ id: string }>(
      `insert into automations (workspace_id, name, draft) values ($1, 'Halting', $2) returning id`,
      [workspaceId, JSON.stringify(draft)],
    )
    const key = { workspaceId, id: made.rows[0]!.id }
    const publishedVersion = await publishVersion(tx, key, (await automationForChange(tx, key))!)
    await setSwitches(tx, key, { publishedVersion, entryOpen: true })
    await tx.query(`update automation_lanes set state = 'running', job_id = gen_random_uuid(), turn = 1`)
    await tx.query(
      `insert into contacts (workspace_id, email) select $1, 'p' || n || '@example.com' from generate_series(1, $2::int) n
       on conflict do nothing`,
      [workspaceId, PEOPLE],
    )
    const { rows: contacts } = await tx.query<{ id: string }>('select id from contacts')
    const wanting = contacts.map((contact) => ({ contactId: contact.id, depth: 0 }))
    await putEntries(tx, { workspaceId, automationId: key.id }, { wanting, at: new Date().toISOString() })
    return key.id
  })
}

/** Takes what is due until nothing is. */
async function work(automationId: string): Promise<void> {
  const clock = new Date(Date.now() + 60_000).toISOString()
  for (let done = 1; done > 0; ) {
    done = 0
    for (const slot of [0, 1]) {
      const turn = { workspaceId, automationId, slot, turn: '1', jobId: '' }
      done += (await takeStretch(pool, turn, { times: { clock, through: clock } })).rows
    }
  }
}

async function halted(id: string): Promise<string[]> {
  const [row] = await rows<{ nodes: string[] }>('select halted_nodes as nodes from automations where id = $1', [id])
  return row!.nodes
}
