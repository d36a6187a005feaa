import { invalid, unprocessable } from '../../catalogue/problems.ts'
import type { FieldError } from '../../platform/problem.ts'
import type { IntakeWriter } from './intake-writer.ts'
import { type EventInput, onceARequest, type RecordedEvent, readEvent } from './recorded-event.ts'

/** Faults named in one answer; a thousand bad events need not fill it. */
const FAULTS_MAX = 20
/** Bytes of an event besides its properties, for the writer's queue limit. */
export const EVENT_OVERHEAD_BYTES = 200

/**
 * Records a batch, all of it or nothing. Resolves when it is durable. Throws a 400 for events that do not fit, a 422 for
 * events that break a rule, each naming the item and the field.
 */
export async function recordEvents(
  deps: { intake: IntakeWriter },
  input: { workspaceId: string; events: readonly EventInput[]; repeatId?: string | undefined },
): Promise<void> {
  const events: RecordedEvent[] = []
  const faults: (FieldError & { kind: 'shape' | 'rule' })[] = []
  let bytes = 0
  for (const [index, item] of input.events.entries()) {
    const read = readEvent(item)
    if ('event' in read) {
      events.push(onceARequest(read.event, input.repeatId, index))
      bytes += EVENT_OVERHEAD_BYTES + read.event.properties.length
    } else if (faults.length < FAULTS_MAX) {
      const { kind, pointer, detail } = read.fault
      faults.push({ kind, pointer: `/events/${index}${pointer}`, detail })
    }
  }
  if (faults.length > 0) {
    const errors = faults.map(({ pointer, detail }) => ({ pointer, detail }))
    throw faults.some((fault) => fault.kind === 'shape') ? invalid(errors) : unprocessable(errors)
  }
  await deps.intake.write({ workspaceId: input.workspaceId, events }, bytes)
}
