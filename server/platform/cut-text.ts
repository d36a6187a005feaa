/** Half of a character that takes two places of a JavaScript text, as an emoji does. JSON in the database cannot hold one. */
const HALF_A_CHARACTER = /[\ud800-\udbff]$/

/** The beginning of a text, at most `charsMax` long, and without half a character at its end. */
export function cutText(text: string, charsMax: number): string {
  return text.slice(0, charsMax).replace(HALF_A_CHARACTER, '')
}

/** The same with a mark where something is left out. */
export function shortenedText(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : `${cutText(text, charsMax)}…`
}
