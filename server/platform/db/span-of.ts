/**
 * The span that holds all these times (RFC 3339), its end excluded, for tables in partitions by time. A statement that is
 * planned once knows by it which partitions it need not open: those of rows that are only joined it would open all, each with
 * its policies and indexes.
 */
export function spanOf(times: readonly string[]): [from: string, to: string] {
  const atMs = times.map((time) => Date.parse(time))
  // Columns have microseconds.
  return [new Date(Math.min(...atMs)).toISOString(), new Date(Math.max(...atMs) + 1).toISOString()]
}
