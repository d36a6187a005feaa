import { isAscii, isUtf8 } from 'node:buffer'
import { TextDecoder } from 'node:util'

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'

/** Bytes of UTF-16 text that tell it from others when it has no mark: every other one is zero in Latin script. */
const HEAD_BYTES_MIN = 4
const CHARACTER_BYTES_MAX = 4

/**
 * Turns a file of unknown encoding into UTF-8, piece by piece: by its byte order mark, else UTF-16 by its zeros, else
 * UTF-8 if the first piece that is not ASCII is UTF-8, else Windows-1252. Bytes that do not fit afterwards become U+FFFD.
 * The mark is left out.
 */
export function createUtf8Converter() {
  let decoder: TextDecoder | undefined
  let encoding: Encoding = 'utf-8'
  let held: Buffer = Buffer.alloc(0)
  const decide = (found: Encoding) => {
    encoding = found
    decoder = new TextDecoder(found)
  }
  const convert = (piece: Buffer, last: boolean): Buffer => {
    if (decoder === undefined) {
      const found = encodingOf(piece, last)
      if (found === 'ascii') return piece
      if (found === 'more') {
        held = piece
        return Buffer.alloc(0)
      }
      decide(found)
    }
    return Buffer.from(decoder?.decode(piece, { stream: !last }) ?? '', 'utf8')
  }
  return {
    convert(piece: Buffer): Buffer {
      const whole = held.length === 0 ? piece : Buffer.concat([held, piece])
      held = Buffer.alloc(0)
      return convert(whole, false)
    },
    end: (): Buffer => convert(held, true),
    /** The encoding found; of a file that is all ASCII, UTF-8. */
    encoding: (): Encoding => encoding,
  }
}

function encodingOf(piece: Buffer, last: boolean): Encoding | 'ascii' | 'more' {
  if (piece.length < HEAD_BYTES_MIN && !last) return 'more'
  const [first, second, third] = piece
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if (first !== 0 && second === 0) return 'utf-16le'
  if (first === 0 && second !== 0 && second !== undefined) return 'utf-16be'
  if (isAscii(piece)) return 'ascii'
  return isUtf8(last ? piece : withoutOpenCharacter(piece)) ? 'utf-8' : 'windows-1252'
}

/** Without a character at the end whose last bytes are still to come. */
function withoutOpenCharacter(piece: Buffer): Buffer {
  for (let back = 1; back < CHARACTER_BYTES_MAX && back <= piece.length; back++) {
    const byte = piece[piece.length - back]!
    if (byte >= 0xc0) return piece.subarray(0, piece.length - back)
    if (byte < 0x80) return piece
  }
  return piece
}
