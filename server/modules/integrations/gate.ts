import { gateOf } from '../../platform/db/gate.ts'

/** Turns of sending go through those of their integrations before they hold a row of one; its deletion closes it. */
export const INTEGRATION_GATE = gateOf('integration')
