import { StringDecoder } from 'node:string_decoder'
import { createUtf8Converter } from '../../platform/csv/to-utf8.ts'

/**
 * A text that is read a stretch at a time, each from where the one before ended, so that only a stretch is in memory. To go
 * back, or to begin far behind the beginning, takes reading it from the beginning once more. A place is a number of characters.
 */
export class TextFile {
  readonly #open: () => AsyncIterable<Buffer>
  #pieces: AsyncGenerator<string> | undefined
  #text = ''
  /** The place that `#text` begins at. */
  #at = 0
  #isEnd = false

  constructor(open: () => AsyncIterable<Buffer>) {
    this.#open = open
  }

  /** Characters from a place on: at least so many characters, or all there are to the end. */
  async stretch(place: number, charsMin: number): Promise<{ text: string; isEnd: boolean }> {
    if (this.#pieces === undefined || place < this.#at) await this.#begin()
    this.#dropBefore(place)
    while (!this.#isEnd && this.#at + this.#text.length < place + charsMin) {
      const { value, done } = await this.#next()
      if (done) this.#isEnd = true
      else {
        this.#text += value
        this.#dropBefore(place)
      }
    }
    return { text: this.#text, isEnd: this.#isEnd }
  }

  async #begin(): Promise<void> {
    await this.#pieces?.return(undefined)
    this.#pieces = inCharacters(this.#open())
    this.#text = ''
    this.#at = 0
    this.#isEnd = false
  }

  /** After a fault there is nothing to go on with. */
  #next(): Promise<IteratorResult<string, undefined>> {
    return this.#pieces!.next().catch((error: unknown) => {
      this.#pieces = undefined
      throw error
    })
  }

  #dropBefore(place: number): void {
    const passed = Math.min(place - this.#at, this.#text.length)
    if (passed <= 0) return
    this.#text = this.#text.slice(passed)
    this.#at += passed
  }
}

async function* inCharacters(bytes: AsyncIterable<Buffer>): AsyncGenerator<string, undefined> {
  const converter = createUtf8Converter()
  const decoder = new StringDecoder('utf8')
  for await (const piece of bytes) yield decoder.write(converter.convert(piece))
  yield decoder.write(converter.end()) + decoder.end()
}
