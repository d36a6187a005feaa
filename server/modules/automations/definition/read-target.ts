import type { Target } from './definition.ts'
import { NODE_ID_CHARS_MAX } from './limits.ts'
import type { Reading } from './reading.ts'

/** An edge: nobody may stand before nothing. */
export function readTarget(reading: Reading, given: unknown, at: string): Target {
  if (given === undefined) {
    reading.fault(at, 'must say where it goes on: the id of a node, or "end"')
    return 'end'
  }
  return reading.text(given, at, NODE_ID_CHARS_MAX)
}
