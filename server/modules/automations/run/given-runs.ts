import { type Columns, givenRows } from '../../../platform/db/given-rows.ts'
import { type Micros, momentOf } from '../micros.ts'
import type { Run, Step } from './run-state.ts'

/*
 * Runs and their steps as a turn gives them to its statements, whose first two parameters are the workspace and the automation.
 */

const PLACE = { first: 3 }

const momentOrNull = (at: Micros | null) => (at === null ? null : momentOf(at))

/** Columns that never change: the run's person, and how it began. */
const BEGUN: Columns<Run> = {
  id: ['bigint', ({ id }) => id],
  contact_id: ['bigint', ({ contactId }) => contactId],
  entry_key: ['text', ({ entryKey }) => entryKey],
  created_at: ['timestamptz', ({ createdAt }) => createdAt],
  entered_at: ['timestamptz', ({ enteredAt }) => momentOf(enteredAt)],
  event_id: ['bigint', ({ eventId }) => eventId],
  event_at: ['timestamptz', ({ eventAt }) => eventAt],
}

const REACHED: Columns<Run> = {
  version: ['int', ({ version }) => String(version)],
  node: ['text', ({ node }) => node],
  visit: ['int', ({ visit }) => String(visit)],
  goal_at: ['timestamptz', ({ goalAt }) => momentOrNull(goalAt)],
  goal_value: ['numeric', ({ goalValue }) => goalValue],
}

const CHANGING: Columns<Run> = {
  ...REACHED,
  state: ['text', ({ state }) => state],
  at: ['timestamptz', ({ at }) => momentOf(at)],
  at_position: ['bigint', ({ atPosition }) => atPosition],
  attempts: ['smallint', ({ attempts }) => String(attempts)],
  error: ['text', ({ error }) => error],
  skip_visit: ['int', ({ skipVisit }) => (skipVisit === null ? null : String(skipVisit))],
  looked: ['boolean', ({ looked }) => String(looked)],
  put_off: ['bigint', ({ putOff }) => String(putOff)],
  pauses: ['int', ({ pauses }) => String(pauses)],
  variables: ['jsonb', ({ variables }) => (Object.keys(variables).length === 0 ? null : JSON.stringify(variables))],
}

export const MADE_RUNS = givenRows<Run>(
  {
    ...BEGUN,
    ...CHANGING,
    depth: ['smallint', ({ depth }) => String(depth)],
    mail_from: ['timestamptz', ({ mailFrom }) => momentOrNull(mailFrom)],
  },
  PLACE,
)

export const CHANGED_RUNS = {
  ...givenRows<Run>({ id: BEGUN.id!, ...CHANGING }, PLACE),
  /** For UPDATE, of the rows that are called `g`. */
  set: Object.keys(CHANGING)
    .map((column) => `${column} = g.${column}`)
    .join(', '),
}

/** Runs that have begun to listen: since when, and to what. */
export const LISTENING = givenRows<Run>(
  {
    ...{ id: BEGUN.id!, contact_id: BEGUN.contact_id!, entered_at: BEGUN.entered_at! },
    ...{ event_id: BEGUN.event_id!, event_at: BEGUN.event_at! },
    version: CHANGING.version!,
    node: CHANGING.node!,
    visit: CHANGING.visit!,
    looked: CHANGING.looked!,
    at: CHANGING.at!,
    at_position: CHANGING.at_position!,
  },
  PLACE,
)

export const ENDED_RUNS = givenRows<Run>(
  {
    ...BEGUN,
    ...REACHED,
    ended_at: ['timestamptz', ({ at }) => momentOf(at)],
    state: ['text', ({ end }) => end!.state],
    reason: ['text', ({ end }) => end!.reason],
  },
  PLACE,
)

export const DONE_STEPS = givenRows<Step>(
  {
    run_id: ['bigint', ({ run }) => run.id],
    visit: ['int', ({ visit }) => String(visit)],
    created_at: ['timestamptz', ({ run }) => run.createdAt],
    version: ['int', ({ version }) => String(version)],
    node: ['text', ({ node }) => node],
    way: ['text', ({ way }) => way],
    next_node: ['text', ({ next }) => next],
    next_version: ['int', ({ run, next }) => (next === null ? null : String(run.version))],
    came_at: ['timestamptz', ({ cameAt }) => momentOf(cameAt)],
    left_at: ['timestamptz', ({ leftAt }) => momentOf(leftAt)],
    event_id: ['bigint', ({ eventId }) => eventId],
    seen: ['jsonb', ({ seen }) => (seen === null ? null : JSON.stringify(seen))],
  },
  PLACE,
)

/** Runs whose timer is set, which they have: when it is due, and whether it has to look first. */
export const TIMERS = givenRows<{ run: Run; dueAt: string; looks: boolean }>(
  {
    contact_id: ['bigint', ({ run }) => run.contactId],
    run_id: ['bigint', ({ run }) => run.id],
    due_at: ['timestamptz', ({ dueAt }) => dueAt],
    looks: ['boolean', ({ looks }) => String(looks)],
  },
  PLACE,
)
