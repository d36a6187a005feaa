/**
 * Rows by their workspace, in the one order in which whoever holds something of several takes it: two that took theirs in opposite orders
 * would wait for each other.
 */
export function byWorkspace<T>(rows: Iterable<T>, workspaceOf: (row: T) => string): [workspaceId: string, of: T[]][] {
  return [...Map.groupBy(rows, workspaceOf)].sort(([one], [other]) => (one < other ? -1 : 1))
}
