/** Whoever commits events signals this, and the consumer groups look. */
export const OUTBOX_SIGNAL = 'outbox'
