const COLOUR = /["':\s](#(?:[0-9a-f]{3}){1,2})(?=["';\s])/gi
const FONT = /font-family=(?:"([^"{]*)"|'([^'{]*)')/gi
const COLOURS_MAX = 6

/** Colours of a mail, those it has most first. */
export function coloursOf(source: string): string[] {
  const counts = new Map<string, number>()
  for (const [, short = ''] of source.matchAll(COLOUR)) {
    const colour = sixDigits(short.toLowerCase())
    counts.set(colour, (counts.get(colour) ?? 0) + 1)
  }
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([colour]) => colour)
    .slice(0, COLOURS_MAX)
}

/** A colour of three digits with six; anything else as it is. */
export function sixDigits(colour: string): string {
  return /^#[0-9a-f]{3}$/i.test(colour) ? `#${[...colour.slice(1)].map((digit) => digit + digit).join('')}` : colour
}

/** Fonts that readers' machines have, each with what stands in for it. */
const SAFE_FONTS = [
  'Arial, Helvetica, sans-serif',
  'Verdana, Geneva, sans-serif',
  'Tahoma, Verdana, sans-serif',
  "'Trebuchet MS', Tahoma, sans-serif",
  "Georgia, 'Times New Roman', serif",
  "'Times New Roman', Times, serif",
  "'Courier New', Courier, monospace",
]
const GENERIC = /(?:^|,)\s*(?:serif|sans-serif|monospace|cursive|system-ui)\s*$/i

/** Fonts to choose from: those of the mail, then those that every machine has. */
export function fontsOf(source: string): string[] {
  const own = [...source.matchAll(FONT)].map(([, double, single]) => (double ?? single ?? '').trim())
  return [...new Set([...own.filter((font) => font !== ''), ...SAFE_FONTS])]
}

/** The first of a list of fonts, by which people know it. */
export const fontName = (fonts: string): string => (fonts.split(',')[0] ?? '').trim().replaceAll(/^['"]|['"]$/g, '')

/** Fonts that end in a kind that every mail program knows; a name alone becomes whatever the program likes. */
export const hasFallback = (fonts: string): boolean => fonts.trim() === '' || GENERIC.test(fonts)
