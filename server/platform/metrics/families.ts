/**
 * Every metric family of the specification (Operational metrics), by the name it is exposed under. The exporter adds no
 * units, so they stand in the names; it adds `_total` to a counter only where the name does not already end in it.
 */
export const COUNTERS = {
  httpRequests: family('ogen_server_request_count_total', 'HTTP requests answered on /api, /site and /collect.'),
  httpErrors: family('ogen_server_errors_count_total', 'HTTP requests answered with an error, 4xx included.'),
  messages: family('watermill_messages_processed_total', 'Messages handled by a consumer group.'),
  jobAttempts: family('river_work_count_total', 'Job attempts; a snoozed attempt counts as ok.'),
  emailOutcomes: family('email_send_outcomes_total', 'Outcomes of handing mails to a provider.'),
} as const

export const HISTOGRAMS = {
  httpDuration: family('ogen_server_duration_milliseconds', 'Time to answer an HTTP request.'),
  handlerDuration: family('watermill_handler_duration_seconds', 'Run time of a consumer handler, one run per batch.'),
  jobDuration: family('river_work_duration_histogram_seconds', 'Run time of a job attempt.'),
} as const

export const GAUGES = {
  outboxLag: family('outbox_lag_seconds', 'Age of the oldest outbox row a group has not processed; 0 when caught up.'),
  queueDepth: family('river_queue_depth', 'Jobs ready to run now; a queue with none has no sample.'),
  queueOldest: family('river_queue_oldest_available_age_seconds', 'Age of the oldest job that is ready to run.'),
  poolOpen: family('db_pool_open', 'Database connections open.'),
  poolInUse: family('db_pool_in_use', 'Database connections in use.'),
  poolIdle: family('db_pool_idle', 'Database connections idle.'),
  poolMax: family('db_pool_max', 'Most connections the pool may open.'),
  poolWaits: family('db_pool_wait_count', 'Times a caller had to wait because all connections were in use.'),
  poolEmptyAcquires: family('db_pool_empty_acquire_count', 'Times a caller found no idle connection.'),
} as const

/** Upper bounds in milliseconds; 2000 must be one: the latency alert asks whether the 95th percentile is above it. */
export const HTTP_BUCKETS_MS = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_000, 5_000, 10_000]

/** Coarse by specification: OpenTelemetry's default bounds without the one at 0, which no duration falls into. */
export const COARSE_BUCKETS_SECONDS = [5, 10, 25, 50, 75, 100, 250, 500, 750, 1_000, 2_500, 5_000, 7_500, 10_000]

export type Family = { name: string; help: string }

function family(name: string, help: string): Family {
  return { name, help }
}
