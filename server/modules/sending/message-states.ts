/** Where a message stands. A broadcast's audience is at every moment the sum of these. */
export const MESSAGE_STATES = ['pending', 'accepted', 'failed', 'suppressed', 'skipped', 'uncertain'] as const
export type MessageState = (typeof MESSAGE_STATES)[number]

/** Why somebody is not mailed although nothing failed. */
export const SKIP_REASONS = [
  'no_email',
  'unsubscribed_everything',
  'unsubscribed_source',
  'not_subscribed',
  'unproven',
  'unconfirmed',
  'contact_gone',
  'canceled',
  'run_ended',
  'too_late',
  'quiet_hours',
  'frequency_cap',
] as const
export type SkipReason = (typeof SKIP_REASONS)[number]

/** Why the list of addresses that must not be mailed has one: the reasons of suppressions. */
export const SUPPRESSED_REASONS = ['bounce', 'complaint', 'manual'] as const

/** Why a message failed for good. */
export const FAILURE_REASONS = [
  /** The receiver refused it for good: what its reply means, by its class. */
  'address_refused',
  'mailbox_full',
  'content_refused',
  'policy_refused',
  'protocol_refused',
  'host_refused',
  /** Tried until its time was over. */
  'expired',
  /** The template could not be rendered for this person. */
  'render_failed',
  /** It could not be composed or signed. */
  'compose_failed',
] as const
export type FailureReason = (typeof FAILURE_REASONS)[number]

/** Why nobody knows: handed over, and no answer; or the database was restored from before it may have been sent. */
export const UNCERTAIN_REASONS = ['connection_lost', 'process_lost', 'restored'] as const
export type UncertainReason = (typeof UNCERTAIN_REASONS)[number]

/** Why no turn of a stream can send anything: seen before any message is. */
export const SENDER_HOLDS = ['no_integration', 'integration_disabled', 'unverified_domain'] as const

/** Why a stream that is open does not move. */
export const HOLD_REASONS = [...SENDER_HOLDS, 'credentials_refused', 'server_unreachable', 'daily_limit'] as const
export type HoldReason = (typeof HOLD_REASONS)[number]
