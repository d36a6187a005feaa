import { quotedPrintable } from './quoted-printable.ts'

/** A run of text that stands in many messages, with what it takes to write it into one: that is found out once. */
export class FixedText {
  readonly text: string
  readonly utf8Bytes: number
  #quotedPrintable: Buffer | undefined

  constructor(text: string) {
    this.text = text
    this.utf8Bytes = Buffer.byteLength(text)
  }

  get quotedPrintable(): Buffer {
    if (this.#quotedPrintable === undefined) {
      // Memory of its own: a small buffer is part of a large one, which lives as long as the last of its parts.
      const encoded = quotedPrintable(this.text)
      this.#quotedPrintable = Buffer.allocUnsafeSlow(encoded.length)
      encoded.copy(this.#quotedPrintable)
    }
    return this.#quotedPrintable
  }
}

export type Piece = string | FixedText
/** The text of a part: as a whole, or in pieces that follow each other. */
export type MailText = string | readonly Piece[]

export function wholeText(text: MailText): string {
  return typeof text === 'string' ? text : text.map(textOfPiece).join('')
}

export function textOfPiece(piece: Piece): string {
  return typeof piece === 'string' ? piece : piece.text
}
