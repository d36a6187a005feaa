import type pg from 'pg'
import {
  deactivateAutomation,
  deleteAutomation,
  pauseAutomation,
  resumeAutomation,
  steer,
  stopAutomation,
} from '../../server/modules/automations/definition/steer-automation.ts'
import { putEntries } from '../../server/modules/automations/entry/put-entries.ts'
import { momentOf } from '../../server/modules/automations/micros.ts'
import { steerRuns } from '../../server/modules/automations/run/steer-runs.ts'
import { inTransaction, queryInScope } from '../../server/platform/db/transaction.ts'
import { callerOf } from '../support/workspace.ts'
import { addressOf, type EngineWorld } from './engine-worlds.ts'
import type {
  Clicking,
  Cure,
  Enrolling,
  Halting,
  Late,
  Leaving,
  Steering,
  Stop,
  Suppressing,
  Turning,
} from './sound-acts.ts'

/*
 * How somebody steers an automation and the runs of its people.
 */

/** Halts a node, whoever has failed there. */
export async function haltIn(pool: pg.Pool, { workspaceId, automationId }: EngineWorld, { node }: Halting) {
  await queryInScope(pool, workspaceId, {
    text: 'update automations set halted_nodes = array_append(halted_nodes, $3) where workspace_id = $1 and id = $2',
    values: [workspaceId, automationId, node],
  })
}

/** Has somebody's step that failed succeed from now on. */
export async function cureIn(pool: pg.Pool, { workspaceId, people }: EngineWorld, { place }: Cure): Promise<void> {
  const values = [workspaceId, people[place]!.contactId]
  await pool.query({ text: 'delete from cursed where workspace_id = $1 and contact_id = $2', values })
}

/** Retries parked runs, has them go on or leave. */
export async function steerIn(pool: pg.Pool, world: EngineWorld, { place, node, what: act }: Steering): Promise<void> {
  const { workspaceId, automationId: id, people } = world
  const deps = { sql: pool }
  if (place === null) {
    await steerRuns(deps, callerOf(workspaceId), { id, act, node: node ?? undefined })
    return
  }
  const runs = await queryInScope<{ id: string }>(pool, workspaceId, {
    text: `select id from runs where workspace_id = $1 and automation_id = $2 and contact_id = $3 and state = 'parked' order by id`,
    values: [workspaceId, id, people[place]!.contactId],
  })
  for (const run of runs) await steerRuns(deps, callerOf(workspaceId), { id, runId: run.id, act })
}

/** Ends all runs of somebody by hand. */
export async function leaveIn(pool: pg.Pool, world: EngineWorld, { place }: Leaving): Promise<void> {
  const { workspaceId, automationId: id, people } = world
  const runs = await queryInScope<{ id: string }>(pool, workspaceId, {
    text: 'select id from runs where workspace_id = $1 and automation_id = $2 and contact_id = $3 order by id',
    values: [workspaceId, id, people[place]!.contactId],
  })
  for (const run of runs) await steerRuns({ sql: pool }, callerOf(workspaceId), { id, runId: run.id, act: 'exit' })
}

/** Notes that somebody has clicked in the mails that they have been given so far, as it is noted of people and not of machines. */
export async function clickIn(pool: pg.Pool, { workspaceId, people }: EngineWorld, { place }: Clicking): Promise<void> {
  await queryInScope(pool, workspaceId, {
    text: `update messages set clicked_at = postroom_clock() where workspace_id = $1 and contact_id = $2 and clicked_at is null
      and (state = 'pending' or state = 'skipped' and reason = 'run_ended')`,
    values: [workspaceId, people[place]!.contactId],
  })
}

/** Lists somebody's address as one that must not be mailed, or lists it no more. */
export async function suppressIn(
  pool: pg.Pool,
  { workspaceId, people }: EngineWorld,
  { place, isListed }: Suppressing,
): Promise<void> {
  const text = isListed
    ? `insert into suppressions (workspace_id, destination, reason) values ($1, $2, 'manual') on conflict do nothing`
    : 'delete from suppressions where workspace_id = $1 and destination = $2'
  await queryInScope(pool, workspaceId, { text, values: [workspaceId, addressOf(people[place]!.person.id)] })
}

/** Closes the entry, or opens it as `activateAutomation` does where there is nothing to publish. */
export async function turnIn(pool: pg.Pool, { workspaceId, automationId: id }: EngineWorld, { isOpen }: Turning) {
  const [deps, caller] = [{ sql: pool }, callerOf(workspaceId)]
  if (!isOpen) return deactivateAutomation(deps, caller, id)
  return steer(deps, caller, { id, act: 'activate', from: ['closed', 'paused'] }, async () => ({
    entryOpen: true,
  }))
}

/** Pauses the automation. */
export async function pauseIn(pool: pg.Pool, { workspaceId, automationId }: EngineWorld): Promise<void> {
  await pauseAutomation({ sql: pool }, callerOf(workspaceId), automationId)
}

/** Has it go on. */
export async function resumeIn(pool: pg.Pool, { workspaceId, automationId: id }: EngineWorld, late: Late) {
  const dropAfter = late.late === 'drop' ? { dropAfter: late.dropAfter } : {}
  await resumeAutomation({ sql: pool }, callerOf(workspaceId), { id, late: late.late, ...dropAfter })
}

export async function stopIn(pool: pg.Pool, { workspaceId, automationId: id }: EngineWorld, { isDeleted }: Stop) {
  const [deps, caller] = [{ sql: pool }, callerOf(workspaceId)]
  await (isDeleted ? deleteAutomation(deps, caller, { id }) : stopAutomation(deps, caller, id))
}

/** Has somebody come in by hand. */
export async function enrollInto(
  pool: pg.Pool,
  world: EngineWorld,
  { place, beginsAt, key }: Enrolling,
): Promise<void> {
  const { workspaceId, automationId, people } = world
  const comers = { wanting: [{ contactId: people[place]!.contactId, depth: 0 }], at: momentOf(BigInt(beginsAt)), key }
  await inTransaction(pool, workspaceId, (tx) => putEntries(tx, { workspaceId, automationId }, comers))
}
