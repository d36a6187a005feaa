/** Letters that are no plain one with a mark above or below it. */
const LETTERS: Readonly<Record<string, string>> = { ł: 'l', ø: 'o', æ: 'ae', œ: 'oe', ß: 'ss', đ: 'd', ð: 'd', þ: 'th' }

/** A word as it is compared with others: its letters and digits alone, small and without marks. `Prénom` is `prenom`. */
export function folded(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[łøæœßđðþ]/g, (letter) => LETTERS[letter]!)
    .normalize('NFD')
    .replaceAll(/[^a-z0-9]/g, '')
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '))

/** Yes and no as people and spreadsheets write them, in the languages of readers; folded. */
const YES = words('yes y true 1 on ja j wahr oui o vrai si sim s vero verdadero verdadeiro tak prawda sandt sant waar')
const NO = words('no n false 0 off nein falsch non faux nao falso nie falsz nej falsk falskt nee onwaar')

/** Undefined for a word that is neither. */
export function yesOrNo(text: string): boolean | undefined {
  const word = folded(text)
  return YES.has(word) ? true : NO.has(word) ? false : undefined
}
