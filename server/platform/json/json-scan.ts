/*
 * Places in a text that is JSON, found by hand: an expression that goes through a string of some megabytes escape by escape runs out
 * of the engine's stack.
 */

const QUOTE = 0x22
const COLON = 0x3a
const BACKSLASH = 0x5c
const MINUS = 0x2d
const ZERO = 0x30
const NINE = 0x39

export type Found = {
  /** A number, with its place and the one behind it. */
  number: (from: number, to: number) => void
  /** The colon behind a name. */
  colon?: () => void
}

/** Goes through a text that is JSON, and tells in turn what stands outside its strings. */
export function scanJson(text: string, { number, colon }: Found): void {
  let at = 0
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at + 1)
    else if ((code >= ZERO && code <= NINE) || code === MINUS) {
      const end = endOfNumber(text, at)
      number(at, end)
      at = end
    } else {
      if (code === COLON) colon?.()
      at += 1
    }
  }
}

/** The place behind a string's closing quote, `from` being the one behind its opening quote; the text's end when it has none. */
function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = 0
    while (at - escapes > from && text.charCodeAt(at - escapes - 1) === BACKSLASH) escapes += 1
    if (escapes % 2 === 0) return at + 1
  }
  return text.length
}

function endOfNumber(text: string, from: number): number {
  let at = from + 1
  while (isOfNumber(text.charCodeAt(at))) at += 1
  return at
}

/** Digits, `.`, `e`, `E`, `+` and `-`; not the NaN beyond the text's end. */
function isOfNumber(code: number): boolean {
  return (code >= ZERO && code <= NINE) || code === MINUS || code === 0x2e || code === 0x2b || (code | 0x20) === 0x65
}
