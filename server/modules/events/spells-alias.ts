/**
 * Tells texts that spell out one of the aliases, in any case, alone or between other words: "ada@example.com-17" does,
 * "nada@example.com" does not. The aliases are looked up as a set, between any two edges of words: the time grows with
 * the text (64 characters of a client id), not with the number of aliases.
 */
export function spellsAnyOf(aliases: readonly string[]): (text: string) => boolean {
  const wanted = new Set(aliases.map((alias) => alias.toLowerCase()))
  const firsts = new Set([...wanted].map((alias) => alias.charCodeAt(0)))
  const lengths = [...new Set([...wanted].map((alias) => alias.length))].filter((length) => length > 0)
  return (given) => {
    const text = given.toLowerCase()
    const isInWord = wordCharacters(text)
    for (let from = 0; from < text.length; from++) {
      if (isInWord[from - 1] || !firsts.has(text.charCodeAt(from))) continue
      const isSpelled = (length: number) => {
        const to = from + length
        return to <= text.length && !isInWord[to] && wanted.has(text.slice(from, to))
      }
      if (lengths.some(isSpelled)) return true
    }
    return false
  }
}

const LETTER_OR_DIGIT = /^[\p{L}\p{N}]$/u
const ASCII = Array.from({ length: 128 }, (_, code) => LETTER_OR_DIGIT.test(String.fromCharCode(code)))

/** Of each UTF-16 unit, whether it belongs to a letter or a digit. */
function wordCharacters(text: string): boolean[] {
  const isInWord: boolean[] = []
  for (const character of text) {
    const is = ASCII[character.charCodeAt(0)] ?? LETTER_OR_DIGIT.test(character)
    for (let unit = 0; unit < character.length; unit++) isInWord.push(is)
  }
  return isInWord
}
