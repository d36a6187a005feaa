import { integer } from './emit-events.ts'

/** The run of an automation that made a change, and how many automations have led to each other up to it. */
export type Cause = { automationId: string; runId: string; depth: number }

/** The `cause` in an event's data. */
export const causeOf = ({ automationId, runId, depth }: Cause) => ({
  ...{ automationId: integer(automationId), runId: integer(runId) },
  depth,
})
