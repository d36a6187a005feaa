const WHITE = '#ffffff'
const BLACK = '#000000'

/** Black or white, whichever has the higher contrast on a colour such as `#2257d6`. */
export function readableOn(color: string): string {
  return contrastOf(WHITE, color) >= contrastOf(BLACK, color) ? WHITE : BLACK
}

/** How well one colour is read on another, from 1 to 21 (WCAG 2.2, 1.4.3). */
export function contrastOf(one: string, other: string): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (high + 0.05) / (low + 0.05)
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) =>
    linear(Number.parseInt(color.slice(at, at + 2), 16) / 255),
  )
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function linear(channel: number): number {
  return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
}
