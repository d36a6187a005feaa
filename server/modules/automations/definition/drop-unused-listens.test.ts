import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LISTENING_AUTOMATION } from '../../../../test/support/automations.ts'
import { testWorkspace } from '../../../../test/support/workspace.ts'
import { queryInScope } from '../../../platform/db/transaction.ts'
import { dropUnusedListens } from './drop-unused-listens.ts'

const { pool, workspaceId } = await testWorkspace()
const rows = <R extends object>(text: string, values: unknown[]) => queryInScope<R>(pool, workspaceId, { text, values })

test('an older version listens as long as somebody stands in it, the one in force always', async () => {
  const [automation] = await rows<{ id: string }>(LISTENING_AUTOMATION, [workspaceId, 'heard'])
  const id = automation!.id
  await rows(
    `with v as (
       insert into automation_versions (workspace_id, automation_id, version, definition)
       select $1, $2, n, '{}' from generate_series(2, 3) n
     ), l as (
       insert into automation_listens (workspace_id, name, automation_id, version, kind, way, filtered)
       select $1, 'left', $2, n, 'exit', 0, false from generate_series(1, 3) n
     )
     update automations set published_version = 3 where workspace_id = $1 and id = $2`,
    [workspaceId, id],
  )
  const count = (kind: string, total: number) =>
    rows(
      `insert into node_totals as t (workspace_id, automation_id, version, node, kind, shard, total)
       values ($1, $2, 2, 'a', $3, 0, $4)`,
      [workspaceId, id, kind, total],
    )
  const versions = async () => {
    await dropUnusedListens(pool)
    const found = await rows<{ version: number }>(
      `select version from automation_listens where automation_id = $1 and name = 'left' order by 1`,
      [id],
    )
    return found.map(({ version }) => version)
  }
  await count('entered', 5)
  await count('left:to', 4)
  assert.deepEqual(await versions(), [2, 3])
  await count('ended:exit:criterion', 1)
  assert.deepEqual(await versions(), [3])
})
