import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ensureAllPartitions } from '../../../../test/support/partitions.ts'
import { storeIntegration, storeVerifiedDomain, testSecrets } from '../../../../test/support/sending-world.ts'
import { testWorkspace } from '../../../../test/support/workspace.ts'
import { QUEUES } from '../../../catalogue/queues.ts'
import { queryInScope } from '../../../platform/db/transaction.ts'
import { migrateJobs } from '../../../platform/jobs/schema.ts'
import { createBroadcast } from '../manage-broadcasts.ts'
import { readBroadcast, readBroadcasts } from '../read-broadcasts.ts'
import { readReport } from '../report/read-report.ts'
import { advanceBroadcast } from '../run/advance-broadcast.ts'
import { sendBroadcast } from '../run/start-broadcast.ts'
import { checkAudience } from './check-audience.ts'

const { pool, caller, workspaceId } = await testWorkspace()
await ensureAllPartitions(pool)
await migrateJobs(pool, QUEUES)
const secrets = testSecrets()
await storeVerifiedDomain(pool, secrets, { workspaceId })
await storeIntegration(pool, workspaceId, { port: 1 })
const deps = {
  sql: pool,
  pool,
  secrets,
  requireReady: async (key: { workspaceId: string; id: string }) => readBroadcast(pool, key),
  contentFault: async () => null,
  shouldYield: () => false,
}
const EVERYBODY = { segmentIds: [], excludedSegmentIds: [], topicId: null }
const run = (text: string) => queryInScope(pool, workspaceId, { text, values: [workspaceId] })

/** Each combination of what can stand against a contact, several times; whoever has no address is in a segment only. */
async function populate(): Promise<string> {
  await run(`insert into contacts (workspace_id, subject_id, email, first_name)
    select $1, 's' || n, case when n % 11 > 0 then 'P' || n || '@example.com' end, 'Ada' from generate_series(1, 192) n`)
  await run(`insert into suppressions (workspace_id, destination, reason)
    select $1, 'p' || n || '@example.com', (array['bounce', 'complaint', 'manual'])[n % 3 + 1] from generate_series(1, 192, 2) n where n % 4 = 1`)
  await run(`insert into unsubscribes (workspace_id, destination, sending_source)
    select $1, 'p' || n || '@example.com', source from generate_series(1, 192) n
    cross join (values ('everything', 3), ('broadcasts', 5), ('automation:1', 7)) s (source, every) where n % every = 0`)
  await run(`insert into contact_consents (workspace_id, contact_id, provenance)
    select workspace_id, id, 'imported' from contacts where workspace_id = $1 and id % 2 = 0`)
  const [row] = await queryInScope<{ id: string }>(pool, workspaceId, {
    text: `insert into segments (workspace_id, name, definition) values ($1, 'All', $2) returning id`,
    values: [workspaceId, '{"combinator":"and","rules":[{"field":"firstName","operator":"=","value":"Ada"}]}'],
  })
  return row!.id
}
const segmentId = await populate()

for (const isDoubleOptIn of [false, true]) {
  const whether = isDoubleOptIn ? 'mails only those who agreed' : 'does not ask for consent'
  test(`the forecast is what becomes of everybody, in a workspace that ${whether}`, async () => {
    await run(`insert into sending_settings (workspace_id, double_opt_in) values ($1, ${isDoubleOptIn})
      on conflict (workspace_id) do update set double_opt_in = excluded.double_opt_in`)
    const { count, forecast, checks } = await checkAudience(pool, workspaceId, {
      segmentIds: [segmentId],
      excludedSegmentIds: [],
      topicId: null,
    })
    assert.deepEqual([count, checks], [192, []])
    const { id } = await createBroadcast(deps, caller, { name: 'News', subject: 'a', body: 'b', segmentId })
    await sendBroadcast(deps, caller, { id })
    await advanceBroadcast(deps, { workspaceId, id })
    const report = await readReport(pool, { workspaceId, id })
    const skips = [
      ...report.skippedByReason.map((one) => ({ state: 'skipped', ...one })),
      ...report.suppressedByReason.map((one) => ({ state: 'suppressed', ...one })),
    ]
    const known = forecast!.skips.map(({ state, reason, count }) => ({ state, reason, count }))
    const sorted = (list: typeof skips) => list.toSorted((a, b) => a.reason.localeCompare(b.reason))
    assert.deepEqual(sorted(known), sorted(skips))
    assert.equal(forecast!.sendCount, report.pendingCount)
    assert.equal(
      known.some(({ reason }) => reason === 'unconfirmed'),
      isDoubleOptIn,
    )

    const { items } = await readBroadcasts(pool, workspaceId, {
      filter: {},
      sort: '-id',
      page: { page: 1, pageSize: 1 },
    })
    const { counts } = items[0]!
    assert.deepEqual([items[0]!.id, counts.recipientsTotal], [id, 192])
    assert.equal(counts.pendingCount + counts.suppressedCount + counts.skippedCount, 192)
  })
}

test('an audience of which nobody would be mailed is warned of, an empty one is an error', async () => {
  await run(`insert into unsubscribes (workspace_id, destination, sending_source)
    select workspace_id, lower(email), 'everything' from contacts where workspace_id = $1 and email is not null on conflict do nothing`)
  const codes = async (where: object) =>
    (await checkAudience(pool, workspaceId, { ...EVERYBODY, ...where })).checks.map(({ code }) => code)
  assert.deepEqual(await codes({}), ['audience_skipped'])
  assert.deepEqual(await codes({ excludedSegmentIds: [segmentId] }), ['audience_empty'])
  assert.deepEqual(await codes({ segmentIds: ['999999'] }), ['segment_invalid'])
})
