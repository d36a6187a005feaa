import { int8Array } from '../../../platform/db/arrays.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import { SLOTS, wakeStream } from '../../sending/lanes.ts'
import { withdrawMessages } from '../../sending/ledger/withdraw-messages.ts'
import { streamOf } from '../../sending/streams.ts'
import { LEFT_WAY } from '../definition/listens.ts'
import { RUN_SLOTS } from '../entry/slots.ts'
import { momentOf } from '../micros.ts'
import { wakeRuns } from '../run-lanes.ts'
import type { QueueRow } from './claim-rows.ts'
import { CHANGED_RUNS, DONE_STEPS, ENDED_RUNS, MADE_RUNS, TIMERS } from './given-runs.ts'
import { askToTell, writeNotices } from './note-notices.ts'
import { type Run, TIMER_POSITION } from './run-state.ts'
import { tellOfRuns } from './tell-of-runs.ts'
import type { TurnContext } from './turn-context.ts'

/** A run that has to look is due at once, before whatever else there is of its contact. */
const LOOK_AT = '1970-01-01T00:00:00Z'
/** Mails that one lane of the stream is woken for. */
const MAILS_A_LANE = 50

/**
 * Writes what a turn has done, each table once: the trace, whose key is the wall against doing a visit twice and whose
 * trigger keeps the sums; runs, those that ended, the queue. Wakes the stream of its mails last.
 */
export async function writeTurn(
  context: TurnContext,
  { runs, done }: { runs: readonly Run[]; done: readonly QueueRow[] },
): Promise<void> {
  const ended = runs.filter(({ end }) => end !== null)
  const going = runs.filter(({ end }) => end === null)
  await writeSteps(context)
  await writeRuns(context, going)
  await writeEnded(context, ended)
  await tellOfRuns(context, runs)
  await dropVoidSignals(context)
  await settleQueue(context, { done, going, ended })
  const exited = ended.filter(({ end, isNew }) => end?.state === 'exited' && !isNew)
  if (exited.length > 0) {
    await withdrawMessages(
      context.tx,
      context.workspaceId,
      exited.map(({ id }) => id),
    )
  }
  await writeNotices(context)
  await wakeRuns(context.tx, context.woken)
  await wakeMails(context)
  await askToTell(context)
}

async function writeSteps({ tx, workspaceId, automationId, steps }: TurnContext): Promise<void> {
  if (steps.length === 0) return
  await tx.query({
    name: 'write_run_steps',
    text: `insert into run_steps (workspace_id, automation_id, ${DONE_STEPS.names}) select $1, $2, g.* from ${DONE_STEPS.from} as g`,
    values: [workspaceId, automationId, ...DONE_STEPS.values(steps)],
  })
}

async function writeRuns({ tx, workspaceId, automationId }: TurnContext, going: readonly Run[]): Promise<void> {
  const made = going.filter(({ isNew }) => isNew)
  if (made.length > 0) {
    await tx.query({
      name: 'insert_runs',
      text: `insert into runs (workspace_id, automation_id, ${MADE_RUNS.names}) select $1, $2, g.* from ${MADE_RUNS.from} as g`,
      values: [workspaceId, automationId, ...MADE_RUNS.values(made)],
    })
  }
  const changed = going.filter(({ isNew }) => !isNew)
  if (changed.length === 0) return
  await tx.query({
    name: 'update_runs',
    text: `update runs r set ${CHANGED_RUNS.set}
      from ${CHANGED_RUNS.from} as g where r.workspace_id = $1 and r.automation_id = $2 and r.id = g.id`,
    values: [workspaceId, automationId, ...CHANGED_RUNS.values(changed)],
  })
}

async function writeEnded({ tx, workspaceId, automationId }: TurnContext, ended: readonly Run[]): Promise<void> {
  if (ended.length === 0) return
  await tx.query({
    name: 'write_ended_runs',
    text: `with given as materialized (select * from ${ENDED_RUNS.from} as g), gone as (
        delete from runs where workspace_id = $1 and id = any (array(select id from given))
      )
      insert into ended_runs (workspace_id, automation_id, ${ENDED_RUNS.names}) select $1, $2, given.* from given`,
    values: [workspaceId, automationId, ...ENDED_RUNS.values(ended)],
  })
}

/**
 * Rows of the queue of each run `r`, locked, to be addressed by their place. The queue is never analysed (ADR 5): its whole part of
 * one automation is taken for a row or two, and when the plan was made it may have been empty. The order is the key's own, and with
 * sorting switched off nothing else gives it. The contacts are held, so none moves; a signal that is put anew meanwhile, for a later
 * version, has another place by then, and stays for the next turn as if it had been put after this one.
 */
const QUEUED_OF_RUN = `cross join lateral (
        select ctid as row, kind, position, visit, way from run_queue
        where workspace_id = $1 and automation_id = $2 and contact_id = r.contact_id and run_id = r.run_id
        order by kind, position, visit for update) q`

/** Runs a statement that finds rows by `QUEUED_OF_RUN`. */
async function dropQueued(
  tx: Transaction,
  statement: { name: string; text: string; values: unknown[] },
): Promise<void> {
  // Where one of them fails the statement behind it does as well.
  tx.query('set local enable_sort = off').catch(() => undefined)
  const dropped = tx.query(statement)
  tx.query('set local enable_sort = on').catch(() => undefined)
  await dropped
}

/** Signals of the version that a run has left: it looks anew for what its new one listens to. */
async function dropVoidSignals({ tx, workspaceId, automationId, moved }: TurnContext): Promise<void> {
  if (moved.size === 0) return
  await dropQueued(tx, {
    name: 'drop_void_signals',
    text: `delete from run_queue where ctid = any (array(
      select q.row from unnest($3::int8[], $4::int8[]) as r(contact_id, run_id) ${QUEUED_OF_RUN}
      where q.kind in ('exit', 'goal', 'wait') and q.way > ${LEFT_WAY}))`,
    values: [
      ...[workspaceId, automationId],
      int8Array([...moved.keys()].map(({ contactId }) => contactId)),
      int8Array([...moved.keys()].map(({ id }) => id)),
    ],
  })
}

type Settling = { done: readonly QueueRow[]; going: readonly Run[]; ended: readonly Run[] }

/** Takes out what was done and all of runs that ended, and sets the timers of those that go on. */
async function settleQueue(
  { tx, workspaceId, automationId }: TurnContext,
  { done, going, ended }: Settling,
): Promise<void> {
  const signals = done.filter(({ kind }) => kind !== 'timer')
  // Parked where a node is halted: nothing but somebody's hand leads them on.
  const gathered = going
    .filter(({ state }) => state === 'parked')
    .map(({ id, contactId }) => ({ contactId, runId: id, kind: 'timer', position: TIMER_POSITION, visit: 0 }))
  if (signals.length + ended.length + gathered.length > 0) {
    const rows = [...signals, ...gathered].map(({ contactId, runId, kind, position, visit }) => ({
      ...{ contact_id: contactId, run_id: runId, kind, position, visit },
    }))
    await dropQueued(tx, {
      name: 'take_done_rows',
      text: `with g as materialized (
          select * from json_to_recordset($3::json) as g(contact_id bigint, run_id bigint, kind text, position bigint, visit int)
        ), r as materialized (
          select contact_id, run_id, bool_or(has_ended) as has_ended from (
            select contact_id, run_id, false as has_ended from g
            union all select *, true from unnest($4::int8[], $5::int8[]) as e(contact_id, run_id)) touched
          group by 1, 2
        )
        delete from run_queue where ctid = any (array(
          select q.row from r ${QUEUED_OF_RUN}
          where r.has_ended or (r.contact_id, r.run_id, q.kind, q.position, q.visit) in (select * from g)))`,
      values: [
        ...[workspaceId, automationId, JSON.stringify(rows)],
        int8Array(ended.map(({ contactId }) => contactId)),
        int8Array(ended.map(({ id }) => id)),
      ],
    })
  }
  const timers = going.flatMap((run) => {
    if (run.timer === null) return []
    const { looks, dueAt } = run.timer
    return [{ run, looks, dueAt: looks ? LOOK_AT : momentOf(dueAt) }]
  })
  if (timers.length === 0) return
  await tx.query({
    name: 'set_run_timers',
    text: `insert into run_queue (workspace_id, automation_id, slot, contact_id, run_id, kind, position, due_at, looks)
      select $1, $2, contact_id % ${RUN_SLOTS}, contact_id, run_id, 'timer', ${TIMER_POSITION}, due_at, looks
      from ${TIMERS.from} as g
      on conflict (workspace_id, automation_id, contact_id, run_id, kind, position, visit)
        do update set due_at = excluded.due_at, looks = excluded.looks`,
    values: [workspaceId, automationId, ...TIMERS.values(timers)],
  })
}

async function wakeMails({ tx, workspaceId, automationId, mails }: TurnContext): Promise<void> {
  if (mails === 0) return
  const stream = await streamOf(tx, workspaceId, { kind: 'automation', id: automationId })
  const lanes = Math.min(SLOTS.automation, Math.ceil(mails / MAILS_A_LANE))
  if (stream) await wakeStream(tx, { ...stream, lanes })
}
