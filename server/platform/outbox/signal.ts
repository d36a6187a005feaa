/** Signaled with each commit of events, so that the consumer groups look. */
export const OUTBOX_SIGNAL = 'outbox'
