/**
 * Whether a text has more characters than `charsMax`, as JSON Schema (`maxLength`) and PostgreSQL (`length`) count them: by
 * code points. JavaScript's own length counts an emoji as two.
 */
export function hasMoreChars(text: string, charsMax: number): boolean {
  if (text.length <= charsMax) return false
  if (text.length > 2 * charsMax) return true
  let chars = 0
  for (const _ of text) chars += 1
  return chars > charsMax
}
