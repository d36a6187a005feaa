const QUOTE = 0x22
const BACKSLASH = 0x5c
/** Shorter strings cost as much as other values do. */
const TEXT_BYTES_MIN = 4_096

/**
 * How much of a JSON text is no long string. Files and contents of mails are: a megabyte of them costs a twentieth of what a
 * megabyte of numbers and names does, which alone holds up all others for up to a fifth of a second. Not what is beyond
 * `bytesMax`, once it is passed.
 */
export function bytesBesideTexts(body: Buffer, bytesMax: number): number {
  let beside = 0
  for (let at = 0; at < body.length && beside <= bytesMax; at++) {
    if (body[at] !== QUOTE) {
      beside++
      continue
    }
    const begin = at++
    while (at < body.length && body[at] !== QUOTE) at += body[at] === BACKSLASH ? 2 : 1
    if (at - begin < TEXT_BYTES_MIN) beside += at - begin + 1
  }
  return beside
}
