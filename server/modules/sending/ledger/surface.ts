import type { Origin, SourceKind } from '../message-source.ts'

/** Where a message comes from, in the words of the API, events and metrics: a single mail is `transactional` there. */
export const SURFACES = ['broadcast', 'automation', 'transactional', 'confirmation', 'test'] as const
export type Surface = (typeof SURFACES)[number]

export function surfaceOf(kind: SourceKind): Surface {
  return kind === 'email' ? 'transactional' : kind
}

/** A message's origin as the API tells it. */
export type ToldOrigin = {
  purpose: Origin['purpose']
  surface: Surface
  broadcastId: string | null
  automationId: string | null
}

export function toldOrigin({ purpose, sourceKind, sourceId }: Origin): ToldOrigin {
  return {
    purpose,
    surface: surfaceOf(sourceKind),
    broadcastId: sourceKind === 'broadcast' ? sourceId : null,
    automationId: sourceKind === 'automation' ? sourceId : null,
  }
}

/** Whether nothing but the message itself decides of it: it can be taken back, and sent again, on its own. */
export function isSingle({ broadcastId, automationId }: ToldOrigin): boolean {
  return broadcastId === null && automationId === null
}

/** SQL, for `messages m`: as `surfaceOf`. */
export const SURFACE = `case m.source_kind when 'email' then 'transactional' else m.source_kind end`

/** SQL, for `messages m`: the columns of `ToldOrigin`. */
export const TOLD_ORIGIN = `m.purpose, ${SURFACE} as surface,
  case m.source_kind when 'broadcast' then m.source_id end as "broadcastId",
  case m.source_kind when 'automation' then m.source_id end as "automationId"`
