import { CommandError } from './command-error.ts'

/**
 * Words of a command: text for people, and the document that `--json` prints in its place. A `fault` is what it ends
 * with after that, as a command that failed.
 */
export type Said = { text: string; json: unknown; fault?: string | undefined }

type Cells = Record<string, unknown>

/** Prints them, and fails the command where they say so. */
export function tell({ text, json, fault }: Said, asJson: boolean): void {
  console.log(asJson ? JSON.stringify(json, null, process.stdout.isTTY ? 2 : 0) : text)
  if (fault !== undefined) throw new CommandError(fault)
}

/** A list: people see a row of each, programs all that is known of it. */
export function listed<T extends object>(
  items: readonly T[],
  { row, empty, total = items.length }: { row?: (item: T) => Cells; empty: string; total?: number },
): Said {
  const rows = row ? items.map(row) : (items as readonly Cells[])
  const rest = total > items.length ? [`… and ${total - items.length} more`] : []
  return { text: [rows.length === 0 ? empty : tableOf(rows), ...rest].join('\n'), json: items }
}

/** Rows with a heading, columns aligned. */
export function tableOf(rows: readonly Cells[]): string {
  const columns = Object.keys(rows[0] ?? {})
  const cells = [columns, ...rows.map((row) => columns.map((column) => textOf(row[column])))]
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => line[index]!.length)))
  const lineOf = (line: string[]) => line.map((cell, index) => cell.padEnd(widths[index]!)).join('  ')
  return cells.map((line) => lineOf(line).trimEnd()).join('\n')
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '-'
  return Array.isArray(value) ? value.join(',') || '-' : String(value)
}
