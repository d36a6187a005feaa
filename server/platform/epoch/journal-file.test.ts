import assert from 'node:assert/strict'
import { appendFile, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { JournalFile, type JournalLine, readJournal } from './journal-file.ts'

const directory = await mkdtemp(path.join(tmpdir(), 'postroom-journal-'))
after(() => rm(directory, { recursive: true }))

const EPOCH = '0b0e7b6e-7c1e-4b57-9a53-2f1f0f1f0f1f'
const line = (n: number): JournalLine => ({ epochId: EPOCH, tx: '7', id: String(n), entry: `sealed-${n}` })
async function ids(): Promise<string[]> {
  const read: string[] = []
  for await (const { id } of readJournal(directory)) read.push(id)
  return read
}

test('what was appended is read again in its order, and a line that a crash cut off is written over', async () => {
  const first = new JournalFile(directory)
  assert.equal(await first.last(), undefined)
  await first.append([line(1), line(2)], new Date('2026-11-30T23:59:59Z'))
  await first.append([line(3)], new Date('2026-12-01T00:00:00Z'))
  await first.close()
  await appendFile(path.join(directory, 'journal-2026-12.log'), `${EPOCH} 7 4 seal`)
  const second = new JournalFile(directory)
  assert.deepEqual(await second.last(), line(3))
  await second.append([line(5)], new Date('2026-12-02T00:00:00Z'))
  await second.close()
  assert.deepEqual(await ids(), ['1', '2', '3', '5'])
})

test('files of thirteen months are kept', async () => {
  const file = new JournalFile(directory)
  for (let month = 0; month < 14; month++) await file.append([line(100 + month)], new Date(Date.UTC(2027, month, 1)))
  await file.close()
  const names = (await readdir(directory)).sort()
  assert.deepEqual([names.length, names[0]], [13, 'journal-2027-02.log'])
})
