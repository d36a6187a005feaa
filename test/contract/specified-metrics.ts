/** The specification's table (Operational metrics): exposed name, type, labels. */
export const SPECIFIED: readonly [name: string, type: 'counter' | 'gauge' | 'histogram', labels: string][] = [
  ['ogen_server_request_count_total', 'counter', 'operation_id http_route http_response_status_code'],
  ['ogen_server_errors_count_total', 'counter', 'operation_id http_route http_response_status_code'],
  ['ogen_server_duration_milliseconds', 'histogram', 'operation_id http_route http_response_status_code'],
  ['outbox_lag_seconds', 'gauge', 'consumer_group'],
  ['watermill_messages_processed_total', 'counter', 'handler error'],
  ['watermill_handler_duration_seconds', 'histogram', 'handler error'],
  ['river_queue_depth', 'gauge', 'queue'],
  ['river_queue_oldest_available_age_seconds', 'gauge', 'queue'],
  ['river_work_count_total', 'counter', 'queue kind status attempt'],
  ['river_work_duration_histogram_seconds', 'histogram', 'queue kind status attempt'],
  ['db_pool_open', 'gauge', 'pool'],
  ['db_pool_in_use', 'gauge', 'pool'],
  ['db_pool_idle', 'gauge', 'pool'],
  ['db_pool_max', 'gauge', 'pool'],
  ['db_pool_wait_count', 'gauge', 'pool'],
  ['db_pool_empty_acquire_count', 'gauge', 'pool'],
  ['email_send_outcomes_total', 'counter', 'provider status'],
]
export const SCOPE_LABELS = ['otel_scope_name', 'otel_scope_version']
export const HISTOGRAM_SUFFIXES = ['_bucket', '_sum', '_count']
