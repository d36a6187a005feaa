/**
 * How many times longer than promised the service under test may take to answer, and its database. `npm test` sets it: the
 * machine does other things too.
 */
const patience = process.env.POSTROOM_PATIENCE ?? '1'
export const PATIENCE = { POSTROOM_PATIENCE: patience }
/** Of a pool or a server of the test's own; one that is not patient is for a test of the promised times. */
export const patienceOf = (patient = true) => ({ patience: patient ? Number(patience) : 1 })

/** For tests of the times that are promised. */
export const NO_PATIENCE = { POSTROOM_PATIENCE: '1' }
