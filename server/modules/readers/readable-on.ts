const WHITE = '#ffffff'
const BLACK = '#000000'

/** Black or white, whichever has the higher contrast on a colour such as `#2257d6` (WCAG 2.2, relative luminance). */
export function readableOn(color: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) =>
    linear(Number.parseInt(color.slice(at, at + 2), 16) / 255),
  )
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
  // (1.05)/(L+0.05) against (L+0.05)/(0.05)
  return 1.05 / (luminance + 0.05) >= (luminance + 0.05) / 0.05 ? WHITE : BLACK
}

function linear(channel: number): number {
  return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
}
