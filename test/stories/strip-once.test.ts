import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

const STRIP_ONCE = path.join(import.meta.dirname, '..', '..', 'bin', 'strip-once.js')
const PROGRAM = path.join(import.meta.dirname, '..', '..', 'bin', 'postroom.js')

const directory = await mkdtemp(path.join(os.tmpdir(), 'postroom-strip-'))
const KEPT = path.join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'postroom')
after(async () => {
  await rm(directory, { recursive: true, force: true })
  for (const file of ours) await rm(file)
})

/** Files that keep something of ours: their words are in nobody else's. */
const ours = new Set<string>()

async function keptOf(word: string): Promise<string> {
  for (const name of await readdir(KEPT)) {
    const file = path.join(KEPT, name)
    if ((await readFile(file, 'utf8').catch(() => '')).includes(word)) {
      ours.add(file)
      return file
    }
  }
  throw new Error(`nothing was kept of ${word}`)
}

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
  await Promise.all([first, second].map(keptOf))
})

test('what was kept only in part is made anew', async () => {
  const word = randomUUID()
  await run(word)
  for (const bytes of [0, 20]) {
    await truncate(await keptOf(word), bytes)
    assert.deepEqual(await run(word), { said: word, stripped: true })
  }
  assert.deepEqual(await run(word), { said: word, stripped: false })
})

test('the program has no option under which V8 throws away what it and Node.js have kept compiled', async () => {
  const [, given] = /^#!.* node (.*)\n/.exec(await readFile(PROGRAM, 'utf8')) ?? []
  const tagUnder = async (options: string[]) =>
    (await promisify(execFile)(process.execPath, [...options, '-p', 'v8.cachedDataVersionTag()'])).stdout
  assert.notEqual(await tagUnder(['--heap-growing-percent=50']), await tagUnder([]), 'an option that has it')
  assert.equal(await tagUnder(given?.split(' ') ?? []), await tagUnder([]))
})
