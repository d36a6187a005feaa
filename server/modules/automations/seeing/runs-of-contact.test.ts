import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testWorkspace } from '../../../../test/support/workspace.ts'
import { queryInScope } from '../../../platform/db/transaction.ts'
import { runsOfContact } from './runs-of-contact.ts'

const { pool, workspaceId } = await testWorkspace()

test('the ways of somebody through automations that are deleted take no place on a page of the others', async () => {
  const [contact] = await queryInScope<{ id: string }>(pool, workspaceId, {
    text: `insert into contacts (workspace_id, email) values ($1, 'ada@example.com') returning id`,
    values: [workspaceId],
  })
  const automation = async (name: string, isDeleted: boolean) => {
    const [row] = await queryInScope<{ id: string }>(pool, workspaceId, {
      text: `with a as (
          insert into automations (workspace_id, name, draft, published_version, stopped_at, deleted_at)
          values ($1, $2, '{}', 1, case when $3 then now() end, case when $3 then now() end) returning id
        ), v as (
          insert into automation_versions (workspace_id, automation_id, version, definition) select $1, id, 1, '{}' from a
        ) select id from a`,
      values: [workspaceId, name, isDeleted],
    })
    return row!.id
  }
  const [kept, gone] = [await automation('Kept', false), await automation('Gone', true)]
  // The newest are those of the one that is deleted: live, and ended.
  await queryInScope(pool, workspaceId, {
    text: `with live as (
        insert into runs (workspace_id, id, automation_id, version, contact_id, entry_key, created_at, entered_at, depth, node, visit,
          state, at, at_position)
        select $1, n, case when n < 9 then $2::int8 else $3 end, 1, $4, n, now(), now(), 0, 'rest', 1, 'waiting', now(), n
        from unnest('{3, 9, 10}'::int[]) n
      )
      insert into ended_runs (workspace_id, id, created_at, automation_id, version, contact_id, entry_key, entered_at, state, node,
        visit, ended_at)
      select $1, n, now(), case when n < 7 then $2::int8 else $3 end, 1, $4, n, now(), 'completed', 'end', 1, now()
      from unnest('{1, 2, 7, 8}'::int[]) n`,
    values: [workspaceId, kept, gone, contact!.id],
  })
  const read = async (cursor?: string) => {
    const page = await runsOfContact(pool, { workspaceId, contactId: contact!.id }, { limit: 2, cursor })
    return { ids: page.items.map(({ id }) => Number(id)), nextCursor: page.nextCursor }
  }
  const first = await read()
  assert.deepEqual(first.ids, [3, 2])
  assert.deepEqual(await read(first.nextCursor), { ids: [1], nextCursor: undefined })
})
