/*
 * Places in a text that is JSON, found by hand: an expression that goes through a string of some megabytes escape by escape runs out
 * of the engine's stack.
 */

export const QUOTE = 0x22
export const COLON = 0x3a
const BACKSLASH = 0x5c
const MINUS = 0x2d
const ZERO = 0x30
const NINE = 0x39

/** The place behind a string's closing quote, `from` being the one behind its opening quote; the text's end when it has none. */
export function endOfString(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at + 1
    if (code === BACKSLASH) at += 1
  }
  return text.length
}

/** Whether a number begins with the character, outside a string. */
export function beginsNumber(code: number): boolean {
  return (code >= ZERO && code <= NINE) || code === MINUS
}

/** The place behind a number that begins at `from`. */
export function endOfNumber(text: string, from: number): number {
  let at = from + 1
  while (isOfNumber(text.charCodeAt(at))) at += 1
  return at
}

/** Goes to each number of a text that is JSON, in turn, with its place and the one behind it. */
export function eachNumber(text: string, visit: (from: number, to: number) => void): void {
  let at = 0
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at + 1)
    else if (beginsNumber(code)) {
      const end = endOfNumber(text, at)
      visit(at, end)
      at = end
    } else at += 1
  }
}

/** Digits, `.`, `e`, `E`, `+` and `-`; not the NaN beyond the text's end. */
function isOfNumber(code: number): boolean {
  return (code >= ZERO && code <= NINE) || code === MINUS || code === 0x2e || code === 0x2b || (code | 0x20) === 0x65
}
