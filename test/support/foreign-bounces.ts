import { readFile } from 'node:fs/promises'
import { brotliDecompressSync } from 'node:zlib'

/** A bounce that others collected, with the reasons that they read in it, one or more. */
export type ForeignBounce = { name: string; reasons: readonly string[]; bytes: Buffer }

/** The labelled set of `foreign-bounces/README.md`. */
export async function foreignBounces(): Promise<ForeignBounce[]> {
  const lines = brotliDecompressSync(
    await readFile(new URL('foreign-bounces/mails.jsonl.br', import.meta.url)),
  ).toString()
  return lines
    .trimEnd()
    .split('\n')
    .map((line) => {
      const { mail, ...named } = JSON.parse(line) as { name: string; reasons: string[]; mail: string }
      return { ...named, bytes: Buffer.from(mail, 'latin1') }
    })
}
