import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import { migrateJobs } from '../../platform/jobs/schema.ts'
import { askForLooks } from './entry/watch-segments.ts'
import { askForChecks } from './run/check-waits.ts'

const { pool, workspaceId } = await testWorkspace()
await migrateJobs(pool, ['default'])

test('a segment that is looked at keeps nobody from being asked in an automation that has the same id', async () => {
  const rows = (text: string) => queryInScope(pool, workspaceId, { text, values: [workspaceId] })
  await rows(
    `insert into automations (workspace_id, id, name, draft) overriding system value values ($1, 7, 'Welcome', '{}')`,
  )
  await rows('insert into automation_waits (workspace_id, automation_id) values ($1, 7)')
  await rows('insert into segment_watches (workspace_id, segment_id) values ($1, 7)')
  await askForLooks(pool)
  await askForChecks(pool)
  const { rows: jobs } = await pool.query(`select data ->> 'kind' as kind from jobs.job_common order by 1`)
  assert.deepEqual(
    jobs.map(({ kind }) => kind),
    ['check_waits_of_automation', 'watch_segment'],
  )
})
