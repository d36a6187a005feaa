import type { Workspace } from '../../../lib/site-types.ts'

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
export const SAFE_FONTS = [
  'Arial, Helvetica, sans-serif',
  'Verdana, Geneva, sans-serif',
  'Tahoma, Verdana, sans-serif',
  "'Trebuchet MS', Tahoma, sans-serif",
  "Georgia, 'Times New Roman', serif",
  "'Times New Roman', Times, serif",
  "'Courier New', Courier, monospace",
]
const GENERIC = /(?:^|,)\s*(?:serif|sans-serif|monospace|cursive|system-ui)\s*$/i

/** Fonts to choose from: the workspace's, those of the mail, then those that every machine has. */
export function fontsOf(source: string, brand?: Brand): string[] {
  const own = [...source.matchAll(FONT)].map(([, double, single]) => (double ?? single ?? '').trim())
  return [...new Set([brand?.fontFamily ?? '', ...own, ...SAFE_FONTS])].filter((font) => font !== '')
}

/** The first of a list of fonts, by which people know it. */
export const fontName = (fonts: string): string => (fonts.split(',')[0] ?? '').trim().replaceAll(/^['"]|['"]$/g, '')

/** Fonts that end in a kind that every mail program knows; a name alone becomes whatever the program likes. */
export const hasFallback = (fonts: string): boolean => fonts.trim() === '' || GENERIC.test(fonts)

/** How mails of the workspace look. */
export type Brand = Pick<Workspace, 'color' | 'palette' | 'fontFamily'>

/** Colours of the workspace by their names, the one of its buttons first. */
export function brandColours({ color, palette }: Brand): { name: string; color: string }[] {
  const rest = palette.filter((one) => one.color !== color)
  return [...(color === null ? [] : [{ name: nameIn(palette, color), color }]), ...rest]
}

const nameIn = (palette: Brand['palette'], color: string) =>
  palette.find((one) => one.color === color)?.name ?? 'Colour of buttons'

const HAS_FONT = /<mj-(?:all|text|body)\b[^>]*\sfont-family=/i
const WITH_FONT = new Set(['mj-text', 'mj-button', 'mj-table'])

/** Attributes of the first block of its kind: the workspace's colour and font, where the mail has no font of its own. */
export function brandLook(name: string, { color, palette, fontFamily }: Brand, source: string): string {
  const ground = name === 'mj-button' ? (color ?? palette[0]?.color) : undefined
  const colours = ground === undefined ? '' : ` background-color="${ground}" color="${readableOn(ground)}"`
  const isBare = fontFamily !== null && WITH_FONT.has(name) && !HAS_FONT.test(source)
  return isBare ? `${colours} font-family="${fontFamily}"` : colours
}

const [BLACK, WHITE] = ['0', 'f'].map((digit) => `#${digit.repeat(6)}`) as [string, string]

/** Black or white, whichever can be read on a colour (WCAG 2.2, relative luminance). */
function readableOn(colour: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? BLACK : WHITE
}
