import { int8Array } from '../../../platform/db/arrays.ts'
import { SLOTS, wakeStream } from '../../sending/lanes.ts'
import { withdrawMessages } from '../../sending/ledger/withdraw-messages.ts'
import { streamOf } from '../../sending/streams.ts'
import { LEFT_WAY } from '../definition/listens.ts'
import { RUN_SLOTS } from '../entry/slots.ts'
import { momentOf } from '../micros.ts'
import { wakeRuns } from '../run-lanes.ts'
import type { QueueRow } from './claim-rows.ts'
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
  const rows = steps.map(({ run, visit, node, version, way, next, cameAt, leftAt, eventId, seen }) => ({
    ...{ run_id: run.id, visit, created_at: run.createdAt, version, node, way, next_node: next },
    next_version: next === null ? null : run.version,
    ...{ came_at: momentOf(cameAt), left_at: momentOf(leftAt), event_id: eventId, seen },
  }))
  await tx.query({
    name: 'write_run_steps',
    text: `insert into run_steps (workspace_id, run_id, visit, created_at, automation_id, version, node, way, next_node,
        next_version, came_at, left_at, event_id, seen)
      select $1, run_id, visit, created_at, $2, version, node, way, next_node, next_version, came_at, left_at, event_id, seen
      from json_to_recordset($3::json) as s(run_id bigint, visit int, created_at timestamptz, version int, node text,
        way text, next_node text, next_version int, came_at timestamptz, left_at timestamptz, event_id bigint, seen jsonb)`,
    values: [workspaceId, automationId, JSON.stringify(rows)],
  })
}

const rowOf = (run: Run) => ({
  ...{
    id: run.id,
    version: run.version,
    contact_id: run.contactId,
    entry_key: run.entryKey,
    created_at: run.createdAt,
  },
  ...{ entered_at: momentOf(run.enteredAt), event_id: run.eventId, event_at: run.eventAt, depth: run.depth },
  ...{ node: run.node, visit: run.visit, state: run.state, at: momentOf(run.at), at_position: run.atPosition },
  ...{
    attempts: run.attempts,
    error: run.error,
    skip_visit: run.skipVisit,
    looked: run.looked,
    put_off: String(run.putOff),
    pauses: run.pauses,
  },
  mail_from: run.mailFrom === null ? null : momentOf(run.mailFrom),
  variables: Object.keys(run.variables).length === 0 ? null : run.variables,
  ...{ goal_at: run.goalAt === null ? null : momentOf(run.goalAt), goal_value: run.goalValue },
})

const RUN_COLUMNS = `id, version, contact_id, entry_key, created_at, entered_at, event_id, event_at, depth, node, visit, state, at,
  at_position, attempts, error, skip_visit, looked, put_off, pauses, variables, mail_from, goal_at, goal_value`
const GIVEN_RUNS = `json_to_recordset($3::json) as g(id bigint, version int, contact_id bigint, entry_key text,
  created_at timestamptz, entered_at timestamptz, event_id bigint, event_at timestamptz, depth smallint, node text, visit int,
  state text, at timestamptz, at_position bigint, attempts smallint, error text, skip_visit int, looked boolean, put_off bigint, pauses int,
  variables jsonb, mail_from timestamptz, goal_at timestamptz, goal_value numeric)`

async function writeRuns({ tx, workspaceId, automationId }: TurnContext, going: readonly Run[]): Promise<void> {
  const given = (runs: readonly Run[]) => [workspaceId, automationId, JSON.stringify(runs.map(rowOf))]
  const made = going.filter(({ isNew }) => isNew)
  if (made.length > 0) {
    await tx.query({
      name: 'insert_runs',
      text: `insert into runs (workspace_id, automation_id, ${RUN_COLUMNS}) select $1, $2, ${RUN_COLUMNS} from ${GIVEN_RUNS}`,
      values: given(made),
    })
  }
  const changed = going.filter(({ isNew }) => !isNew)
  if (changed.length === 0) return
  await tx.query({
    name: 'update_runs',
    text: `update runs r set version = g.version, node = g.node, visit = g.visit, state = g.state, at = g.at, at_position = g.at_position,
        attempts = g.attempts, error = g.error, skip_visit = g.skip_visit, looked = g.looked, put_off = g.put_off, pauses = g.pauses, variables = g.variables, goal_at = g.goal_at,
        goal_value = g.goal_value
      from ${GIVEN_RUNS} where r.workspace_id = $1 and r.automation_id = $2 and r.id = g.id`,
    values: given(changed),
  })
}

async function writeEnded({ tx, workspaceId, automationId }: TurnContext, ended: readonly Run[]): Promise<void> {
  if (ended.length === 0) return
  const rows = ended.map((run) => ({ ...rowOf(run), ended_as: run.end!.state, reason: run.end!.reason }))
  await tx.query({
    name: 'write_ended_runs',
    text: `with given as materialized (
        select * from json_to_recordset($3::json) as g(id bigint, version int, contact_id bigint, entry_key text,
          created_at timestamptz, entered_at timestamptz, event_id bigint, event_at timestamptz, node text, visit int,
          at timestamptz, goal_at timestamptz, goal_value numeric, ended_as text, reason text)
      ), gone as (
        delete from runs where workspace_id = $1 and id = any (array(select id from given))
      )
      insert into ended_runs (workspace_id, id, created_at, automation_id, version, contact_id, entry_key, entered_at, event_id,
        event_at, state, reason, node, visit, ended_at, goal_at, goal_value)
      select $1, id, created_at, $2, version, contact_id, entry_key, entered_at, event_id, event_at, ended_as, reason, node,
        visit, at, goal_at, goal_value from given`,
    values: [workspaceId, automationId, JSON.stringify(rows)],
  })
}

/** Signals of the version that a run has left: it looks anew for what its new one listens to. */
async function dropVoidSignals({ tx, workspaceId, automationId, moved }: TurnContext): Promise<void> {
  if (moved.size === 0) return
  await tx.query({
    name: 'drop_void_signals',
    text: `delete from run_queue q using unnest($3::int8[], $4::int8[]) as g(contact_id, run_id)
      where q.workspace_id = $1 and q.automation_id = $2 and q.contact_id = g.contact_id and q.run_id = g.run_id
        and q.kind in ('exit', 'goal', 'wait') and q.way > ${LEFT_WAY}`,
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
    await tx.query({
      name: 'take_done_rows',
      text: `delete from run_queue q using (
          select contact_id, run_id, kind, position, visit from json_to_recordset($3::json)
            as g(contact_id bigint, run_id bigint, kind text, position bigint, visit int)
          union all
          select q.contact_id, q.run_id, q.kind, q.position, q.visit from unnest($4::int8[], $5::int8[]) as e(contact_id, run_id)
          join run_queue q on q.workspace_id = $1 and q.automation_id = $2 and q.contact_id = e.contact_id
            and q.run_id = e.run_id) g
        where q.workspace_id = $1 and q.automation_id = $2 and q.contact_id = g.contact_id and q.run_id = g.run_id
          and q.kind = g.kind and q.position = g.position and q.visit = g.visit`,
      values: [
        ...[workspaceId, automationId, JSON.stringify(rows)],
        int8Array(ended.map(({ contactId }) => contactId)),
        int8Array(ended.map(({ id }) => id)),
      ],
    })
  }
  const timers = going.flatMap(({ id, contactId, timer }) =>
    timer === null
      ? []
      : [
          {
            contact_id: contactId,
            run_id: id,
            looks: timer.looks,
            due_at: timer.looks ? LOOK_AT : momentOf(timer.dueAt),
          },
        ],
  )
  if (timers.length === 0) return
  await tx.query({
    name: 'set_run_timers',
    text: `insert into run_queue (workspace_id, automation_id, slot, contact_id, run_id, kind, position, due_at, looks)
      select $1, $2, contact_id % ${RUN_SLOTS}, contact_id, run_id, 'timer', ${TIMER_POSITION}, due_at, looks
      from json_to_recordset($3::json) as g(contact_id bigint, run_id bigint, due_at timestamptz, looks boolean)
      on conflict (workspace_id, automation_id, contact_id, run_id, kind, position, visit)
        do update set due_at = excluded.due_at, looks = excluded.looks`,
    values: [workspaceId, automationId, JSON.stringify(timers)],
  })
}

async function wakeMails({ tx, workspaceId, automationId, mails }: TurnContext): Promise<void> {
  if (mails === 0) return
  const stream = await streamOf(tx, workspaceId, { kind: 'automation', id: automationId })
  const lanes = Math.min(SLOTS.automation, Math.ceil(mails / MAILS_A_LANE))
  if (stream) await wakeStream(tx, { ...stream, lanes })
}
