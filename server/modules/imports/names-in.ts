import { readRecords } from '../../platform/csv/csv-records.ts'

/** Names in one value: `a; b`, `a, b`, or as Mailchimp writes them, `"a","b, c"`. */
export function namesIn(value: string): string[] {
  const delimiter = value.includes(';') && !value.includes('"') ? ';' : ','
  const { records } = readRecords(value, { delimiter, recordsMax: 1, final: true })
  return (records[0]?.fields ?? []).map((name) => name.trim()).filter((name) => name !== '')
}
