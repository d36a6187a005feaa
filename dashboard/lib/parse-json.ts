/** Digits that every number survives with. */
const EXACT_DIGITS_MAX = 15
/** Most texts have no number of more, and are read as fast as the browser can. */
const LONG_NUMBER = /\d[\d.]{15}/

/**
 * Parses JSON. A number that this language would round is kept as the text of its digits, which means the same to rules and declared fields. Browsers that do
 * not say how a number was written round it.
 */
export function parseJson(text: string): unknown {
  return LONG_NUMBER.test(text) ? JSON.parse(text, withEveryDigit) : JSON.parse(text)
}

function withEveryDigit(_key: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source
  if (typeof value !== 'number' || source === undefined || source === JSON.stringify(value)) return value
  return source.replaceAll(/\D/g, '').length > EXACT_DIGITS_MAX ? source : value
}
