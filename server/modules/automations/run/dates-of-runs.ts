import type { Transaction } from '../../../platform/db/transaction.ts'
import {
  type DatedWay,
  type DelayNode,
  fieldOf,
  isDated,
  propertyOf,
  variableOf,
  type WaitNode,
} from '../definition/definition.ts'
import { fromMs, type Micros } from '../micros.ts'
import { momentOfDate } from './moment-of-date.ts'
import { restEnd } from './rest.ts'
import type { Run } from './run-state.ts'
import { valuesOf } from './values-of.ts'

/** Somebody whose dates are asked for: their own, those of the event that brought them in, and of their run. */
export type Dated = Pick<Run, 'at' | 'zone' | 'contactId' | 'eventId' | 'variables'>

/** The moments of the dated ways out of a node, by the place of the way. */
export type Moments = readonly { n: number; way: DatedWay; at: Micros }[]

/** When the moments of a wait's dates are for people, as their fields are now. */
export async function momentsAt<D extends Dated>(
  tx: Transaction,
  workspaceId: string,
  { node, people }: { node: WaitNode | DelayNode; people: readonly D[] },
): Promise<ReadonlyMap<D, Moments>> {
  const dated = node.type === 'wait' ? node.for.flatMap((way, n) => (isDated(way) ? [{ way, n }] : [])) : []
  if (dated.length === 0 || people.length === 0) return new Map()
  const [fields, properties] = [
    dated.flatMap(({ way }) => fieldOf(way) ?? []),
    dated.flatMap(({ way }) => propertyOf(way) ?? []),
  ]
  const ofContacts = await valuesOf(tx, workspaceId, {
    of: 'contacts',
    ids: people.map((one) => one.contactId),
    keys: fields,
  })
  const ofEvents = await valuesOf(tx, workspaceId, {
    of: 'events',
    ids: people.map((one) => one.eventId),
    keys: properties,
  })
  return new Map(
    people.map((one): [D, Moments] => {
      const own = ofContacts.get(one.contactId)
      const triggers = one.eventId === null ? undefined : ofEvents.get(one.eventId)
      const after = Number(one.at / 1_000n)
      return [
        one,
        dated.flatMap(({ way, n }) => {
          const [property, variable] = [propertyOf(way), variableOf(way)]
          const kept = variable === undefined ? own?.[way.date] : one.variables[variable]
          const value = property === undefined ? kept : triggers?.[property]
          const ms = momentOfDate(way, value, { zone: one.zone, after })
          return ms === undefined ? [] : [{ n, way, at: fromMs(ms) }]
        }),
      ]
    }),
  )
}

/** The end of a rest, or the first of some moments where one is before it. */
export function firstEnd(
  run: Pick<Run, 'at' | 'putOff' | 'zone'>,
  node: DelayNode | WaitNode,
  moments: Moments = [],
): Micros {
  let first = restEnd(run, node)
  for (const { at } of moments) if (at < first) first = at
  return first
}
