import type { Transaction } from '../../../platform/db/transaction.ts'
import { type Definition, type RuleText, TRIGGER } from '../definition/definition.ts'
import { type ValuesAsked, valuesAsked } from '../run/values-asked.ts'
import { eventNamesStatement } from './run-queries.ts'

/** A verdict on a contact, with the event that it was about. */
type Refused = { refusal: string | null; refusedEventId: string | null }
export type RefusalSeen = { refusedEvent: string | null; values: ValuesAsked }

type Asked = { workspaceId: string; contactId: string; definition: Definition | undefined }

/**
 * The events that somebody did not come in by, and what the filter or the rule of the entry asks of them. Properties of an event are those
 * it had, fields and tags are as of now. The definition is that of the version in force.
 */
export async function refusalValues<R extends Refused>(
  tx: Transaction,
  { workspaceId, contactId, definition }: Asked,
  refused: readonly R[],
): Promise<(R & RefusalSeen)[]> {
  const ids = refused.map(({ refusedEventId }) => refusedEventId)
  const { rows } = await tx.query(eventNamesStatement(workspaceId, ids))
  const events = new Map(rows.map(({ id, name }) => [id, name]))
  const seen = refused.map((one) => ({ ...one, refusedEvent: events.get(one.refusedEventId ?? '') ?? null }))
  const values = new Map<R, ValuesAsked>()
  for (const alike of Map.groupBy(seen, ({ refusal, refusedEvent }) => `${refusal} ${refusedEvent}`).values()) {
    const { refusal, refusedEvent } = alike[0]!
    const rules = definition === undefined ? [] : rulesAsked(definition, refusal, refusedEvent)
    const of = alike.map((one) => ({ one, contactId, eventId: one.refusedEventId, variables: {} }))
    for (const [{ one }, found] of await valuesAsked(tx, workspaceId, { of, rules })) values.set(one, found)
  }
  return seen.map((one) => ({ ...one, values: values.get(one) ?? {} }))
}

function rulesAsked({ enter }: Definition, refusal: string | null, event: string | null): RuleText[] {
  if (refusal === 'rule') return enter.if === null ? [] : [enter.if]
  if (refusal !== 'filter') return []
  return enter.on.flatMap((trigger) => {
    if (!('event' in trigger) || trigger.event !== event) return []
    const rules = trigger.where.map(({ property, ...test }) => ({ field: TRIGGER + property, ...test }))
    return [JSON.stringify({ combinator: 'and', rules })]
  })
}
