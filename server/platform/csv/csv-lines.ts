import { stringify } from 'csv-stringify/sync'

/**
 * A row of a CSV file that spreadsheets open without harm: a value that begins like a formula (=, +, -, @, tab, carriage
 * return) gets a quote before it, which an import takes away again.
 */
export function csvLine(values: readonly string[]): string {
  return csvLines([values])
}

export function csvLines(rows: readonly (readonly string[])[]): string {
  return stringify(rows as string[][], { escape_formulas: true, quoted_match: /[\r\n]/ })
}
