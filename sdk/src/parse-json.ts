/** Digits that every number of JavaScript survives with. */
const EXACT_DIGITS_MAX = 15
/** Most texts have no number of more, and are read as fast as the runtime can. */
const LONG_NUMBER = /\d[\d.]{15}/
const TEXT_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g

/** Parses JSON. A number that JavaScript would round is the text of its digits, which a declared field of numbers takes for it. */
export function parseJson(json: string) {
  return JSON.parse(LONG_NUMBER.test(json) ? json.replace(TEXT_OR_NUMBER, withEveryDigit) : json)
}

function withEveryDigit(token: string): string {
  const isExact = token.startsWith('"') || String(Number(token)) === token
  return isExact || token.replace(/\D/g, '').length <= EXACT_DIGITS_MAX ? token : `"${token}"`
}
