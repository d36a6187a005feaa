/**
 * Lanes of an automation. A contact belongs to one of them, so everything that happens to it there is done by one turn
 * after another. Kept in `run_queue.slot`: another number needs a migration.
 */
export const RUN_SLOTS = 2

/** SQL: the slot of a contact. */
export const slotOf = (contactId: string) => `(${contactId} % ${RUN_SLOTS})::smallint`
