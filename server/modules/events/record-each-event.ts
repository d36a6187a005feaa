import type { FieldError } from '../../platform/problem.ts'
import { compileItemCheck } from '../../platform/schema/item-check.ts'
import type { IntakeWriter } from './intake-writer.ts'
import { EVENT_OVERHEAD_BYTES } from './record-events.ts'
import { onceARequest, type RecordedEvent, readEvent } from './recorded-event.ts'
import { EventItem, type EventResult } from './schemas.ts'

const checkItem = compileItemCheck(EventItem)

/**
 * Records every item that is an event and says what is wrong with each of the others. Resolves when the accepted ones are
 * durable; they are written together, so that an error of the write leaves none of them.
 */
export async function recordEachEvent(
  deps: { intake: IntakeWriter },
  input: { workspaceId: string; events: readonly unknown[]; repeatId?: string | undefined },
): Promise<EventResult[]> {
  const events: RecordedEvent[] = []
  let bytes = 0
  const results = input.events.map((item, index): EventResult => {
    const read = readItem(item)
    if ('fault' in read) return { index, status: 'failed', error: `${read.fault.pointer} ${read.fault.detail}`.trim() }
    events.push(onceARequest(read.event, input.repeatId, index))
    bytes += EVENT_OVERHEAD_BYTES + read.event.properties.length
    return { index, status: 'accepted' }
  })
  if (events.length > 0) await deps.intake.write({ workspaceId: input.workspaceId, events }, bytes)
  return results
}

function readItem(item: unknown): { event: RecordedEvent } | { fault: FieldError } {
  const checked = checkItem(item)
  if ('item' in checked) return readEvent(checked.item)
  return { fault: checked.errors[0] ?? { pointer: '', detail: 'is not an event' } }
}
