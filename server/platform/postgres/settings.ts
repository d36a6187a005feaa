import { createHash } from 'node:crypto'
import { HOST } from './credentials.ts'

/** The server's settings file, included by `postgresql.conf` and written anew at each start: change that one instead. */
export const SETTINGS_FILE = 'postroom.conf'

/** The server's name in its processes' titles, by which those it left behind are found. */
export function clusterNameOf(clusterDir: string): string {
  return `postroom-${createHash('sha256').update(clusterDir).digest('hex').slice(0, 12)}`
}

/**
 * Durability is PostgreSQL's own default and stated so that nobody loses it by accident. WAL is sized for bursts of intake:
 * a checkpoint every 2 GB or 5 minutes (after a crash about 200 MB are replayed in a second). Vacuum is set for tables
 * that turn over quickly (log and job rows). The server's log leaves out details and statements: they carry people's data.
 */
export function settingsFor(clusterDir: string): string {
  return `# Written by Postroom at each start. Put changes after the include line of postgresql.conf.
cluster_name = '${clusterNameOf(clusterDir)}'
listen_addresses = '${HOST}'
unix_socket_directories = ''
password_encryption = 'scram-sha-256'
max_connections = 200

fsync = on
full_page_writes = on
synchronous_commit = on

shared_buffers = 256MB
work_mem = 8MB
maintenance_work_mem = 128MB
effective_cache_size = 1GB
random_page_cost = 1.1
jit = off

wal_buffers = 16MB
wal_compression = on
min_wal_size = 512MB
max_wal_size = 4GB
checkpoint_timeout = 5min

autovacuum_naptime = 15s
autovacuum_vacuum_scale_factor = 0.05
autovacuum_analyze_scale_factor = 0.05
autovacuum_vacuum_insert_scale_factor = 0.1
autovacuum_vacuum_cost_limit = 2000

logging_collector = off
log_destination = 'stderr'
log_line_prefix = '%m [%p] '
log_timezone = 'UTC'
log_error_verbosity = terse
log_min_error_statement = panic
log_checkpoints = off
lc_messages = 'C'
timezone = 'UTC'
`
}
