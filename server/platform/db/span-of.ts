/**
 * The span that holds all these times (RFC 3339), its end excluded, for tables in partitions by time. A statement that is
 * planned once knows by it which partitions it need not open: those of rows that are only joined it would open all, each with
 * its policies and indexes. The rows within it are found by their ids, never by their times as well: PostgreSQL 18 up to 18.4
 * prunes a table by both ways wrongly once it looks at a row again that somebody changed meanwhile, and its process ends
 * with all connections (ADR 2).
 */
export function spanOf(times: readonly string[]): [from: string, to: string] {
  const atMs = times.map((time) => Date.parse(time))
  // Columns have microseconds.
  return [new Date(Math.min(...atMs)).toISOString(), new Date(Math.max(...atMs) + 1).toISOString()]
}
