import { int8Array } from '../../../platform/db/arrays.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import { type Definition, isHeard, type Where } from './definition.ts'
import { escaped } from './reading.ts'

/** The events that a segment's comings and goings are. */
export const SEGMENT_EVENTS = { enters: 'segment.entered', leaves: 'segment.left' } as const
export const SEGMENT_WHENS = ['enters', 'leaves'] as const

/** The filter of the events of one segment. */
export const ofSegment = (id: string): Where => [{ property: 'segmentId', operator: '=', value: Number(id) }]

/** Segments whose comings and goings a definition listens to, each with its place. */
export function watchedSegments({ enter, exit, nodes }: Definition): { id: string; pointer: string }[] {
  const places = [
    ...enter.on.flatMap((one, n) => ('event' in one ? [{ ...one, pointer: `/definition/enter/on/${n}` }] : [])),
    ...exit.map((one, n) => ({ ...one, pointer: `/definition/exit/${n}` })),
    ...Object.entries(nodes).flatMap(([id, node]) =>
      node.type === 'wait'
        ? node.for.flatMap((way, n) =>
            isHeard(way) ? [{ ...way, pointer: `/definition/nodes/${escaped(id)}/for/${n}` }] : [],
          )
        : [],
    ),
  ]
  return places
    .filter(({ event }) => event === SEGMENT_EVENTS.enters || event === SEGMENT_EVENTS.leaves)
    .flatMap(({ where, pointer }) => idsIn(where).map((id) => ({ id, pointer })))
}

/** Segments whose people come in at certain times, each with its place. Nobody keeps who is in them meanwhile. */
export function scheduledSegments({ enter }: Definition): { id: string; pointer: string }[] {
  return enter.on.flatMap((one, n) =>
    'schedule' in one ? [{ id: one.segment, pointer: `/definition/enter/on/${n}` }] : [],
  )
}

function idsIn(where: Where): string[] {
  return where.flatMap(({ property, operator, value }) =>
    property === 'segmentId' && operator === '=' && Number.isSafeInteger(Number(value)) && Number(value) > 0
      ? [String(Number(value))]
      : [],
  )
}

/** Has who is in these segments kept from now on: the job `watch_segments` looks at them soon. */
export async function watchSegments(tx: Transaction, workspaceId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await tx.query({
    name: 'watch_segments',
    text: `insert into segment_watches (workspace_id, segment_id)
      select $1, s.id from segments s where s.workspace_id = $1 and s.id = any ($2::int8[]) order by s.id
      on conflict (workspace_id, segment_id) do update set next_check_at = now()`,
    values: [workspaceId, int8Array(ids)],
  })
}
