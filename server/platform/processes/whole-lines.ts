import { StringDecoder } from 'node:string_decoder'

/** A line that is longer is handed on in parts, so that nothing grows without end. */
const LINE_CHARS_MAX = 1_000_000

/** Cuts what a process prints into lines: each is handed on whole, however it came. Call `end` behind the last bytes. */
export function wholeLines(onLine: (line: string) => void): { write(bytes: Buffer): void; end(): void } {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  const take = (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop()!
    for (const line of lines) onLine(line)
    if (rest.length > LINE_CHARS_MAX) flush()
  }
  const flush = () => {
    if (rest !== '') onLine(rest)
    rest = ''
  }
  return {
    write: (bytes) => take(decoder.write(bytes)),
    end() {
      take(decoder.end())
      flush()
    },
  }
}
