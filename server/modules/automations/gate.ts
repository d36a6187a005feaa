import { gateOf } from '../../platform/db/gate.ts'

/** Turns go through that of their automation; whoever steers it, or changes its definition, closes it. */
export const AUTOMATION_GATE = gateOf('automation')
