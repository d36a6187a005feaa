const VALUE = /^\{\{-?\s*([\w.]+)\s*(?:\|\s*default:\s*("[^"]*"|'[^']*')\s*)?-?\}\}$/
const INSIDE = /^\{[{%]-?\s*(.*?)\s*-?[%}]\}$/s
const WORDS_SHOWN = 40

/** A value of the reader with what is said when it is empty. */
export type SimpleValue = { name: string; otherwise: string }

/** The value that a piece of Liquid shows; undefined for one that is more than a name and a word in its stead. */
export function simpleValue(raw: string): SimpleValue | undefined {
  const [, name, otherwise = ''] = VALUE.exec(raw) ?? []
  return name === undefined ? undefined : { name, otherwise: otherwise.slice(1, -1) }
}

/** The value as Liquid writes it; undefined while it cannot be written. */
export function valueText({ name, otherwise }: SimpleValue): string | undefined {
  if (!/^[\w.]+$/.test(name) || /[{}\n]/.test(otherwise)) return undefined
  if (otherwise === '') return `{{ ${name} }}`
  const quote = otherwise.includes('"') ? "'" : '"'
  return otherwise.includes(quote) ? undefined : `{{ ${name} | default: ${quote}${otherwise}${quote} }}`
}

/** A piece of Liquid in a few words. */
export function valueWords(raw: string): string {
  const value = simpleValue(raw)
  return (value?.name ?? INSIDE.exec(raw)?.[1] ?? raw).slice(0, WORDS_SHOWN)
}

const NAMES: Readonly<Record<string, string>> = { img: 'Image', table: 'Table', hr: 'Line', div: 'Box' }

/** An element that is kept as it is, in a word. */
export function pieceWords(raw: string): string {
  const [, name] = /^<([a-z][\w-]*)/i.exec(raw) ?? []
  return name === undefined ? 'Note' : (NAMES[name.toLowerCase()] ?? 'HTML')
}

/** Liquid in whose words office programs have made all quotes round: they quote again. */
export const withStraightQuotes = (text: string): string =>
  text.replaceAll(/\{\{[^{}]*\}\}|\{%[^{}%]*%\}/g, (raw) =>
    /["']/.test(raw) ? raw : raw.replaceAll(/[“”„]/g, '"').replaceAll(/[‘’‚]/g, "'"),
  )
