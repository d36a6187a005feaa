export type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp'
export type ImageFacts = { type: ImageType; width: number; height: number }

/** Endings of file names, by type. */
export const ENDINGS: Readonly<Record<ImageType, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
}

const PNG = Buffer.from('89504e470d0a1a0a', 'hex')

/**
 * The kind and size in pixels of a picture, by its own bytes and nothing that was said of it: PNG, JPEG, GIF and WebP, which
 * mail programs show and which hold no script. Undefined for anything else, SVG too.
 */
export function imageOf(bytes: Buffer): ImageFacts | undefined {
  const facts = pngOf(bytes) ?? gifOf(bytes) ?? jpegOf(bytes) ?? webpOf(bytes)
  return facts && facts.width > 0 && facts.height > 0 ? facts : undefined
}

function pngOf(bytes: Buffer): ImageFacts | undefined {
  if (bytes.length < 24 || !bytes.subarray(0, 8).equals(PNG) || bytes.toString('latin1', 12, 16) !== 'IHDR')
    return undefined
  return { type: 'image/png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}

function gifOf(bytes: Buffer): ImageFacts | undefined {
  if (bytes.length < 10 || !['GIF87a', 'GIF89a'].includes(bytes.toString('latin1', 0, 6))) return undefined
  return { type: 'image/gif', width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
}

const MARKER = 0xff
const SCAN = 0xda
/** Markers of no length: fill bytes, restarts and the beginning. */
const isBare = (marker: number) => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)
/** Frames tell the size; C4, C8 and CC among their numbers are tables. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

/** Goes from segment to segment until the frame that states the size (ITU T.81, B.2.2). */
function jpegOf(bytes: Buffer): ImageFacts | undefined {
  if (bytes.length < 4 || bytes[0] !== MARKER || bytes[1] !== 0xd8 || bytes[2] !== MARKER) return undefined
  for (let at = 2; at + 9 <= bytes.length; ) {
    if (bytes[at] !== MARKER) return undefined
    const marker = bytes[at + 1]!
    if (marker === MARKER) at += 1
    else if (isBare(marker)) at += 2
    else if (marker === SCAN) return undefined
    else if (isFrame(marker)) {
      return { type: 'image/jpeg', width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) }
    } else at += 2 + Math.max(2, bytes.readUInt16BE(at + 2))
  }
  return undefined
}

/** Of its three forms: lossy, lossless, and extended (RFC 9649). */
function webpOf(bytes: Buffer): ImageFacts | undefined {
  if (bytes.length < 30 || bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, 12) !== 'WEBP') {
    return undefined
  }
  const type = 'image/webp'
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { type, width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21)
      return { type, width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
    }
    case 'VP8X':
      return { type, width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
    default:
      return undefined
  }
}
