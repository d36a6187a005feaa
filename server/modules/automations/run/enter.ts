import type { Transaction } from '../../../platform/db/transaction.ts'
import { END } from '../definition/definition.ts'
import { BACKFILL_THEN_WAY } from '../definition/listens.ts'
import { type Decision, decideEntries } from '../entry/decide-entries.ts'
import { type Entered, type Refused, writeVerdicts } from '../entry/entry-ledger.ts'
import { type Micros, microsOf, momentOf } from '../micros.ts'
import { laterOf } from './change-version.ts'
import type { QueueRow } from './claim-rows.ts'
import { subjectsFor } from './judge-rules.ts'
import { plus, zoneOf } from './rest.ts'
import { type Run, TIMER_POSITION } from './run-state.ts'
import { exit, leave, setClock, type TurnContext } from './turn-context.ts'

export type Entering = {
  rows: readonly QueueRow[]
  runs: ReadonlyMap<string, Run>
  contacts: ReadonlyMap<string, string | null>
  /** After a pause that put everything off: nobody begins before. */
  resumedAt: Micros | null
}

/** Decides who comes in, and makes their runs; answers these, and those that end for them. */
export async function enter(context: TurnContext, entering: Entering): Promise<{ made: Run[]; ended: Run[] }> {
  const { tx, workspaceId, automationId, current } = context
  const { rows, contacts } = entering
  if (rows.length === 0 || current === null) return { made: [], ended: [] }
  const now = momentOf(context.clock)
  const definition = context.definitions.get(current)!
  const live = Map.groupBy(entering.runs.values(), ({ contactId }) => contactId)
  const { mode, gap } = definition.enter.again
  const decisions = await decideEntries(
    tx,
    {
      ...{ workspaceId, automationId, definition, now },
      liveKeysOf: (contactId) =>
        (live.get(contactId) ?? []).filter(({ end }) => end === null).map((run) => run.entryKey),
      ruleHolds: (text, of) => subjectsFor(tx, workspaceId, { text, subjects: of.map(subjectOf), now }),
      gapEnd: (enteredAt, contactId) =>
        momentOf(plus(microsOf(enteredAt), gap!, zoneOf(contacts.get(contactId), definition))),
    },
    rows.filter(({ contactId }) => contacts.has(contactId)),
  )
  const comers = decisions.filter(({ verdict }) => verdict.entered)
  const ids = await newRunIds(tx, comers.length)
  const made = comers.map((decision, n) => newRun(context, entering, { decision, id: ids[n]! }))
  const ended = mode === 'restart' ? endFormer(context, { comers, live }) : []
  for (const [n, run] of made.entries()) begin(context, run, comers[n]!)
  await writeVerdicts(tx, { workspaceId, automationId }, verdictsOf(decisions, made))
  return { made, ended }
}

const subjectOf = ({ wanting, trigger }: Decision) => ({
  id: trigger.position,
  contactId: wanting.contactId,
  runId: null,
  variables: {},
  ...eventOf(trigger),
})

const eventOf = ({ position, recordedAt, name }: Decision['trigger']) =>
  name === null ? { eventId: null, eventAt: null } : { eventId: position, eventAt: recordedAt }

function newRun(
  { current, definitions, pauses, clock }: TurnContext,
  { contacts, resumedAt }: Entering,
  { decision, id }: { decision: Decision; id: string },
): Run {
  const { wanting, trigger, key } = decision
  const enteredAt = microsOf(trigger.beginsAt)
  const isPutOff = resumedAt !== null && resumedAt > enteredAt
  return {
    ...{ id, version: current!, contactId: wanting.contactId, entryKey: key, createdAt: '', enteredAt },
    ...{ ...eventOf(trigger), depth: wanting.depth },
    ...{
      node: '',
      visit: 0,
      state: 'ready',
      attempts: 0,
      error: null,
      skipVisit: null,
      looked: false,
      putOff: 0n,
      pauses,
    },
    at: isPutOff ? resumedAt : enteredAt,
    atPosition: isPutOff ? TIMER_POSITION : trigger.position,
    mailFrom: wanting.way === BACKFILL_THEN_WAY ? clock : null,
    ...{ variables: {}, goalAt: null, goalValue: null, reached: false, isNew: true, timer: null, end: null },
    zone: zoneOf(contacts.get(wanting.contactId), definitions.get(current!)!),
  }
}

/** Ends the runs whose place the new ones take. */
function endFormer(
  context: TurnContext,
  { comers, live }: { comers: readonly Decision[]; live: ReadonlyMap<string, Run[]> },
): Run[] {
  const ended: Run[] = []
  for (const { wanting, key, trigger } of comers) {
    for (const run of live.get(wanting.contactId) ?? []) {
      if (run.entryKey !== key || run.end !== null) continue
      setClock(run, laterOf(run.at, microsOf(trigger.beginsAt)), trigger.position)
      exit(context, run, { reason: 'restart', eventId: eventOf(trigger).eventId })
      ended.push(run)
    }
  }
  return ended
}

function begin(context: TurnContext, run: Run, { verdict, trigger }: Decision): void {
  const { eventId } = eventOf(trigger)
  run.createdAt = momentOf(context.clock)
  if (verdict.entered && verdict.heldOut) {
    leave(context, run, { way: 'held_out', to: END, eventId })
    run.end = { state: 'held_out', reason: null }
    return
  }
  leave(context, run, { way: 'entered', to: context.definitions.get(run.version)!.start, eventId })
}

async function newRunIds(tx: Transaction, count: number): Promise<string[]> {
  if (count === 0) return []
  const { rows } = await tx.query<{ id: string }>({
    name: 'new_run_ids',
    text: `select nextval('run_id') as id from generate_series(1, $1::int)`,
    values: [count],
  })
  return rows.map(({ id }) => id)
}

function verdictsOf(decisions: readonly Decision[], made: readonly Run[]): { entered: Entered[]; refused: Refused[] } {
  const refused = decisions.flatMap(({ wanting, trigger, key, verdict }): Refused[] =>
    verdict.entered
      ? []
      : [
          {
            contactId: wanting.contactId,
            key,
            at: trigger.beginsAt,
            eventId: trigger.position,
            refusal: verdict.refusal,
          },
        ],
  )
  const entered = made.map(({ id, contactId, entryKey, enteredAt }) => {
    return { contactId, key: entryKey, at: momentOf(enteredAt), runId: id }
  })
  return { entered, refused }
}
