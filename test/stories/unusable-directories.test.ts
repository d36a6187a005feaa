import assert from 'node:assert/strict'
import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { send } from '../support/http-client.ts'
import { makeTempDir } from '../support/test-data-dir.ts'
import { startTestedInstance } from '../support/tested-instance.ts'

const place = await makeTempDir()
const directory = join(place, 'journal')
const backups = join(place, 'file', 'backups')
await writeFile(join(place, 'file'), '')
const instance = await startTestedInstance({ JOURNAL_DIR: directory, BACKUP_DIR: backups, LOG_LEVEL: 'info' })
after(async () => {
  await instance.close()
  await rm(place, { recursive: true, force: true })
})

/** What the log says of the journal, once it has been given something new to keep. */
async function toldOf(word: string): Promise<Record<string, string>> {
  let told: string | undefined
  await eventually(`the log says: ${word}`, async () => {
    const email = `p${performance.now()}@example.com`
    await send('POST', `${instance.baseUrl}/api/contacts`, { token: instance.token, json: { email } })
    told = instance
      .output()
      .split('\n')
      .find((line) => line.includes(`the journal ${word} outside of the database`))
    return told !== undefined
  })
  return JSON.parse(told!)
}

test('a journal that cannot be kept is told of with its directory and the setting, and when it is kept again', async () => {
  await rename(directory, `${directory}.away`)
  await writeFile(directory, '')
  const { reason, msg } = await toldOf('cannot be kept')
  assert.ok(reason!.startsWith(`cannot use the directory ${directory} (JOURNAL_DIR): `), reason)
  assert.equal(msg, 'the journal cannot be kept outside of the database')
  await rm(directory)
  await rename(`${directory}.away`, directory)
  assert.equal((await toldOf('is kept')).directory, directory)
})

test('a start warns of a directory that takes no backup, and goes on', () => {
  const told = instance
    .output()
    .split('\n')
    .find((line) => line.includes('no backup can be taken'))
  const { level, reason } = JSON.parse(told!)
  assert.equal(level, 'warn')
  assert.equal(
    reason,
    `cannot use the directory ${backups} (BACKUP_DIR): a part of the path is not a directory (${backups})`,
  )
})
