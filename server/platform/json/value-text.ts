/** A value of JSON as text: a string as it is, nothing of one that is missing, each digit of an exact number. */
export function valueText(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
