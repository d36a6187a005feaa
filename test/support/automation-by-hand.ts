import type pg from 'pg'
import { publishVersion } from '../../server/modules/automations/definition/publish-version.ts'
import { automationForChange, setSwitches } from '../../server/modules/automations/definition/queries.ts'
import { enrollAutomations } from '../../server/modules/automations/entry/enroll-automations.ts'
import { RUN_SLOTS } from '../../server/modules/automations/entry/slots.ts'
import { type Times, takeStretch } from '../../server/modules/automations/run/take-stretch.ts'
import { persistEvent } from '../../server/modules/events/persist-event.ts'
import { inTransaction, queryInScope } from '../../server/platform/db/transaction.ts'
import { HOUR_MS } from '../../server/platform/durations.ts'
import { migrateJobs } from '../../server/platform/jobs/schema.ts'
import { registerGroups } from '../../server/platform/outbox/consumer.ts'
import { readAll, watched } from './outbox-rows.ts'
import { testWorkspace } from './workspace.ts'

/** A workspace whose log is read when the test says so: its events are kept, and automations hear of them. */
export async function automationWorld() {
  const world = await testWorkspace()
  const { pool, workspaceId } = world
  const groups = [persistEvent, enrollAutomations]
  await migrateJobs(pool, ['default'])
  await registerGroups(pool, groups)
  return {
    ...world,
    rows: <R extends object>(text: string, values: unknown[] = []) =>
      queryInScope<R>(pool, workspaceId, { text, values }),
    async readLog(): Promise<void> {
      for (const group of groups) await readAll(watched(pool), group, { rowsMax: 5_000, attempts: 0 })
    },
  }
}

export type AutomationByHand = { workspaceId: string; automationId: string }

/** Stands for an automation in its own definition. */
export const OWN_ID = '999999999999'

/** Makes an automation that is in force and open, and whose lanes are the test's: nobody moves but by `turnsOf`. */
export function automationByHand(pool: pg.Pool, workspaceId: string, draft: object): Promise<AutomationByHand> {
  return inTransaction(pool, workspaceId, async (tx) => {
    const { rows } = await tx.query<{ id: string }>(
      `insert into automations (workspace_id, name, draft) values ($1, 'By hand', '{}') returning id`,
      [workspaceId],
    )
    const key = { workspaceId, id: rows[0]!.id }
    const text = JSON.stringify(draft).replaceAll(OWN_ID, key.id)
    await tx.query('update automations set draft = $3 where workspace_id = $1 and id = $2', [workspaceId, key.id, text])
    const publishedVersion = await publishVersion(tx, key, (await automationForChange(tx, key))!)
    await setSwitches(tx, key, { entryOpen: true, publishedVersion })
    await tx.query(
      `update automation_lanes set state = 'running', job_id = gen_random_uuid(), turn = 1
        where workspace_id = $1 and automation_id = $2`,
      [workspaceId, key.id],
    )
    return { workspaceId, automationId: key.id }
  })
}

/** Does what is due by a moment, in an hour where none is given, in as many stretches as it takes or as many as are `asked` for. */
export async function turnsOf(
  pool: pg.Pool,
  key: AutomationByHand,
  {
    at = new Date(Date.now() + HOUR_MS).toISOString(),
    asked = Number.POSITIVE_INFINITY,
  }: { at?: string; asked?: number } = {},
): Promise<void> {
  const times: Times = { clock: at, through: at }
  for (let slot = 0; slot < RUN_SLOTS; slot++) {
    const turn = { ...key, slot, turn: '1', jobId: '' }
    for (let n = 0; n < asked && (await takeStretch(pool, turn, { times })).rows > 0; n++);
  }
}
