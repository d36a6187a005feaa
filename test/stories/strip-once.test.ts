import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

const STRIP_ONCE = path.join(import.meta.dirname, '..', '..', 'bin', 'strip-once.js')

const directory = await mkdtemp(path.join(os.tmpdir(), 'postroom-strip-'))
after(() => rm(directory, { recursive: true, force: true }))

/** Runs a file of ours that says `word`; answers what it printed, and whether the stripper was loaded for it. */
async function run(word: string): Promise<{ said: string; stripped: boolean }> {
  const file = path.join(directory, 'say.ts')
  await writeFile(file, `const word: string = '${word}'\nconsole.log(word)\n`)
  const script = `await import('${pathToFileURL(file)}')
    console.log(process.moduleLoadList.some((name) => name.includes('amaro')))`
  const flags = ['--import', STRIP_ONCE, '--input-type=module', '--eval', script]
  const { stdout, stderr } = await promisify(execFile)(process.execPath, flags)
  assert.equal(stderr, '')
  const [said = '', stripped] = stdout.split('\n')
  return { said, stripped: stripped === 'true' }
}

test('types are taken out of a file once, and again when it has changed', async () => {
  const [first, second] = [randomUUID(), randomUUID()]
  assert.deepEqual(await run(first), { said: first, stripped: true })
  assert.deepEqual(await run(first), { said: first, stripped: false })
  assert.deepEqual(await run(second), { said: second, stripped: true })
})
