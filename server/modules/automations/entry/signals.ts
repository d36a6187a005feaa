import { int8Array, textArray } from '../../../platform/db/arrays.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import { type Definition, type Happening, isHeard } from '../definition/definition.ts'
import { ENDING_WAY, UNSUBSCRIBED_WAY, unsubscribedFrom } from '../definition/listens.ts'
import { earliestOf, microsOf } from '../micros.ts'
import { plus, zoneOf } from '../run/rest.ts'
import { eventsPassing } from './passing-events.ts'
import { RUN_SLOTS } from './slots.ts'

/** An event that concerns a run, if it passes the filter of the place that listens. */
export type Candidate = {
  workspaceId: string
  automationId: string
  version: number
  kind: 'exit' | 'goal' | 'wait'
  node: string
  way: number
  filtered: boolean
  runId: string
  contactId: string
  visit: number
  position: string
  recordedAt: string
  enteredAt: string
  /** Of a goal: the contact's time zone, in which its window ends. */
  zone: string | null
}

export type DefinitionsOf = (
  tx: Transaction,
  key: { workspaceId: string; automationId: string },
  versions: readonly number[],
) => Promise<ReadonlyMap<number, Definition>>

/** SQL, for a listening place `l` and a run `r`: what tells whether a goal comes in time. */
export const IN_TIME = `r.entered_at as "enteredAt", case when l.kind = 'goal' then (select c.time_zone from contacts c
  where c.workspace_id = r.workspace_id and c.id = r.contact_id) end as zone`

/** SQL: the properties of the event `e` that the place `l` names equal those of the trigger `t`, or neither has them. */
export const MATCHES = `not exists (select from jsonb_each_text(l.match) m where (e.data::jsonb -> m.key) is distinct from (t.data -> m.value))`

/** The candidates that pass their filters, of a place with several ways the first that does. */
export async function judge(
  tx: Transaction,
  candidates: readonly Candidate[],
  { definitionsOf, now }: { definitionsOf: DefinitionsOf; now: string },
): Promise<Candidate[]> {
  const open = candidates.filter(({ filtered }) => filtered)
  const passed = new Set<Candidate>(candidates.filter(({ filtered }) => !filtered))
  const placeOf = (c: Candidate) => [c.workspaceId, c.automationId, c.version, c.kind, c.node, c.way].join('/')
  for (const of of Map.groupBy(open, placeOf).values()) {
    const [{ workspaceId, automationId, version }] = of as [Candidate]
    const definition = (await definitionsOf(tx, { workspaceId, automationId }, [version])).get(version)
    const filter = definition && filterOf(definition, of[0]!)
    if (!filter) continue
    const { where, minProof, notExcept } = filter
    const from = earliestOf(
      of.map(({ recordedAt }) => recordedAt),
      now,
    )
    const positions = of.map(({ position }) => position)
    const passing = await eventsPassing(tx, workspaceId, { positions, from, where, minProof, notExcept, now })
    for (const candidate of of) if (passing.has(candidate.position)) passed.add(candidate)
  }
  const first = new Map<string, Candidate>()
  for (const candidate of [...passed].sort((one, other) => one.way - other.way)) {
    const key = [candidate.runId, candidate.kind, candidate.position].join('/')
    if (!first.has(key)) first.set(key, candidate)
  }
  return await inTime(tx, [...first.values()], definitionsOf)
}

/** Goals that end a run do so within their window; those that come too late are nobody's, and hold no mail back. */
async function inTime(
  tx: Transaction,
  signals: readonly Candidate[],
  definitionsOf: DefinitionsOf,
): Promise<Candidate[]> {
  const late = new Set<Candidate>()
  const ending = signals.filter(({ kind, way }) => kind === 'goal' && way === ENDING_WAY)
  for (const of of Map.groupBy(ending, (one) => [one.workspaceId, one.automationId, one.version].join('/')).values()) {
    const [{ workspaceId, automationId, version }] = of as [Candidate]
    const definition = (await definitionsOf(tx, { workspaceId, automationId }, [version])).get(version)
    if (!definition?.goal) continue
    const { within } = definition.goal
    for (const one of of) {
      const end = plus(microsOf(one.enteredAt), within, zoneOf(one.zone, definition))
      if (microsOf(one.recordedAt) > end) late.add(one)
    }
  }
  return signals.filter((one) => !late.has(one))
}

type Filter = Pick<Happening, 'where' | 'minProof'> & { notExcept?: string }

/** The filter of the place that listens; undefined when the version has no such place. */
function filterOf(definition: Definition, { automationId, kind, node, way }: Candidate): Filter | undefined {
  if (kind === 'exit')
    return way === UNSUBSCRIBED_WAY
      ? { where: unsubscribedFrom(automationId), notExcept: `automation:${automationId}` }
      : definition.exit[way]
  if (kind === 'goal') return definition.goal ?? undefined
  const at = definition.nodes[node]
  const out = at?.type === 'wait' ? at.for[way] : undefined
  return out !== undefined && isHeard(out) ? out : undefined
}

/**
 * Puts signals into the queue; one that is there already stays as it is, unless it was put there for an older version, which
 * its run has left since: that one is void.
 */
export async function putSignals(tx: Transaction, signals: readonly Candidate[]): Promise<void> {
  if (signals.length === 0) return
  const ids = (pick: (signal: Candidate) => string | number) => int8Array(signals.map((one) => String(pick(one))))
  await tx.query({
    name: 'put_run_signals',
    text: `insert into run_queue (workspace_id, automation_id, slot, contact_id, run_id, kind, position, visit, due_at,
        version, way)
      select workspace_id, automation_id, contact_id % ${RUN_SLOTS}, contact_id, run_id, kind, position, visit,
        due_at::timestamptz, version, way
      from unnest($1::int8[], $2::int8[], $3::int8[], $4::int8[], $5::text[], $6::int8[], $7::int8[], $8::text[],
        $9::int8[], $10::int8[])
        as s(workspace_id, automation_id, contact_id, run_id, kind, position, visit, due_at, version, way)
      order by 1, 2, 4, 5, 7
      on conflict (workspace_id, automation_id, contact_id, run_id, kind, position, visit)
        do update set version = excluded.version, way = excluded.way where run_queue.version < excluded.version`,
    values: [
      ids(({ workspaceId }) => workspaceId),
      ids(({ automationId }) => automationId),
      ids(({ contactId }) => contactId),
      ids(({ runId }) => runId),
      textArray(signals.map(({ kind }) => kind)),
      ids(({ position }) => position),
      ids(({ kind, visit }) => (kind === 'wait' ? visit : 0)),
      textArray(signals.map(({ recordedAt }) => recordedAt)),
      ids(({ version }) => version),
      ids(({ way }) => way),
    ],
  })
}
