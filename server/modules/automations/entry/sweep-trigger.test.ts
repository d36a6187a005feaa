import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testWorkspace } from '../../../../test/support/workspace.ts'
import { inTransaction, queryInScope } from '../../../platform/db/transaction.ts'
import { DAY_MS } from '../../../platform/durations.ts'
import { migrateJobs } from '../../../platform/jobs/schema.ts'
import { publishVersion } from '../definition/publish-version.ts'
import { automationForChange, setSwitches } from '../definition/queries.ts'
import { readCounts } from '../seeing/counts.ts'
import { placeComers } from './place-comers.ts'
import { sweepTrigger } from './sweep-trigger.ts'
import { askForSweeps } from './sweep-triggers.ts'

const { pool, workspaceId } = await testWorkspace()
await migrateJobs(pool, ['default'])
const rows = <R extends object>(text: string, values: unknown[] = []) =>
  queryInScope<R>(pool, workspaceId, { text, values })

test('those whose day has come and those of a segment at its time come in once, whatever is swept again', async () => {
  const [clock] = await rows<{ today: string }>(`select date_trunc('day', now(), 'UTC') as today`)
  const today = clock!.today
  const day = (days: number) => new Date(Date.parse(today) + days * DAY_MS).toISOString().slice(0, 10)
  const people = [
    ['born', { born: `1980-${day(0).slice(5)}` }],
    ['yearless', { born: `--${day(0).slice(5)}` }],
    ['other', { born: `1980-${day(3).slice(5)}`, renews: day(3) }],
    ['ancient', { born: `0001-${day(0).slice(5)}` }],
    ['renews', { renews: day(7) }],
    ['far', { renews: `${Number(day(7).slice(0, 4)) + 1}${day(7).slice(4)}` }],
  ] as const
  for (const [name, fields] of people) {
    await rows('insert into contacts (workspace_id, email, custom_fields) values ($1, $2, $3)', [
      ...[workspaceId, `${name}@example.com`, JSON.stringify(fields)],
    ])
  }
  const [segment] = await rows<{ id: string }>(
    `insert into segments (workspace_id, name, definition) values ($1, 'One', $2) returning id`,
    [workspaceId, JSON.stringify({ rules: [{ field: 'email', operator: '=', value: 'other@example.com' }] })],
  )
  const id = await inTransaction(pool, workspaceId, async (tx) => {
    const on = [
      { date: 'born', repeat: 'yearly', at: '00:00' },
      { date: 'renews', days: -7, at: '00:00' },
      { schedule: { at: '00:00' }, segment: segment!.id },
    ]
    const draft = { format: 1, enter: { on }, start: 'end', nodes: {} }
    const made = await tx.query<{ id: string }>(
      `insert into automations (workspace_id, name, draft, segment_ids) values ($1, 'Dates', $2, array[$3::bigint]) returning id`,
      [workspaceId, JSON.stringify(draft), segment!.id],
    )
    const key = { workspaceId, id: made.rows[0]!.id }
    const publishedVersion = await publishVersion(tx, key, (await automationForChange(tx, key))!)
    await setSwitches(tx, key, { publishedVersion, entryOpen: true })
    return key.id
  })
  const key = { workspaceId, automationId: id }
  const sweep = async () => {
    await rows(`update automation_sweeps set swept_to = $1::timestamptz - interval '1 minute', next_check_at = now()`, [
      today,
    ])
    await askForSweeps(pool)
    const specs = await rows<{ spec: string }>('select spec from automation_sweeps order by spec')
    for (const { spec } of specs) await sweepTrigger(pool, { ...key, spec })
    return specs
  }
  const came = async () => {
    await placeComers(pool, key, AbortSignal.timeout(60_000))
    return (
      await rows<{ who: string }>(
        `select split_part(c.email, '@', 1) || case when q.due_at = $1::timestamptz then ' ' || q.entry_key else ' late' end as who
         from run_queue q join contacts c on c.id = q.contact_id where q.kind = 'entry' order by 1`,
        [today],
      )
    ).map(({ who }) => who)
  }
  const once = [
    `born born ${day(0)} 0`,
    `other ${segment!.id} ${day(0)} 00:00`,
    `renews renews ${day(7)} -7`,
    `yearless born ${day(0)} 0`,
  ]

  assert.equal((await sweep()).length, 3)
  assert.deepEqual(await came(), once)
  const specs = await rows<{ spec: string }>('select spec from automation_sweeps')
  for (const { spec } of specs) await sweepTrigger(pool, { ...key, spec })
  assert.deepEqual(await came(), once, 'nobody twice')

  await rows('update automations set entry_open = false where id = $1', [id])
  await sweep()
  assert.deepEqual(await came(), once, 'nobody while it is closed')
  await rows('update automations set entry_open = true where id = $1', [id])

  await rows(
    `update segments set definition = '{"rules":[{"field":"nonsense","operator":"=","value":"1"}]}' where id = $1`,
    [segment!.id],
  )
  await sweep()
  const { troubles } = await readCounts(pool, { workspaceId, id })
  assert.equal(troubles.length, 1)
  assert.match(troubles[0]!, /^Nobody comes in by the schedule of segment/)
})
