/** The beginning of a text, at most `charsMax` long, and without half of a character that takes two places, as an emoji does. */
export function cutText(text: string, charsMax: number): string {
  return text.slice(0, charsMax).replace(/[\ud800-\udbff]$/, '')
}
