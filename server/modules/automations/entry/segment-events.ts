import type { Transaction } from '../../../platform/db/transaction.ts'
import type { Aliases } from '../../contacts/aliases.ts'
import { emitEvents, integer } from '../../domain-events/emit-events.ts'

/** A contact that came into a segment, or went out of it. */
export type Mover = Aliases & { id: string }

export type Moved = { kind: 'entered' | 'left'; name: string; movers: readonly Mover[] }

/** Emits that contacts came into a segment or went out of it, in the transaction that keeps it. */
export async function emitSegmentEvents(
  tx: Transaction,
  { workspaceId, segmentId }: { workspaceId: string; segmentId: string },
  { kind, name, movers }: Moved,
): Promise<void> {
  const events = movers.map(({ id, subjectId, email, phone }) => ({
    ...{ type: `segment.${kind}` as const, subject: subjectId ?? email ?? phone ?? '', contactId: id, email },
    data: {
      ...{ workspaceId: integer(workspaceId), contactId: integer(id), subjectId, email: email ?? '', phone },
      ...{ segmentId: integer(segmentId), name },
    },
  }))
  await emitEvents(tx, workspaceId, events)
}
