import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { inTurns, withShare } from './read-arguments.ts'
import type { FileLimits } from './run-file.ts'
import { type RunOptions, runFiles } from './run-files.ts'

const ROOT = fileURLToPath(new URL('./fixtures/', import.meta.url))

type Changes = Partial<Pick<RunOptions, 'nodeOptions' | 'signal' | 'nowMs' | 'env' | 'maySkip'>> & {
  limits?: Partial<FileLimits>
}

/** Runs fixtures, patiently except in what a test is about. */
async function run(files: readonly string[], { limits, ...changes }: Changes = {}) {
  const printed: string[] = []
  const code = await runFiles(files, {
    root: ROOT,
    limits: { fileMs: 600_000, afterwardsMs: 60_000, leftoversMs: 60_000, endMs: 60_000, ...limits },
    ...{ nodeOptions: [], env: process.env, signal: new AbortController().signal, nowMs: () => performance.now() },
    ...{ concurrency: 2, slowest: 0, print: (text: string) => printed.push(text) },
    ...changes,
  })
  const end = printed.at(-1) ?? ''
  const sum = (name: string) => new RegExp(`^ℹ ${name} (\\d+)$`, 'm').exec(end)?.[1]
  return { code, blocks: printed.slice(0, -1), end, sum }
}

/** A directory for a fixture's mark, a clock that leaps an hour once the mark is there, and a signal that comes then. */
function untilMarked(t: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), 'postroom-run-'))
  const mark = join(directory, 'mark')
  const marked = new AbortController()
  const look = setInterval(() => existsSync(mark) && marked.abort(), 20)
  t.after(() => {
    clearInterval(look)
    rmSync(directory, { recursive: true })
  })
  const nowMs = () => performance.now() + (marked.signal.aborted ? 3_600_000 : 0)
  return { env: { ...process.env, MARK: mark }, nowMs, signal: marked.signal }
}

/** True of a process that has ended, also when nobody has collected it. */
async function isGone(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0)
    return process.platform === 'linux' && (await readFile(`/proc/${pid}/cmdline`, 'utf8')) === ''
  } catch {
    return true
  }
}

test('a file that passes is printed whole, with what it and its tests said, and the sums are those of Node.js', async () => {
  const { code, blocks, end, sum } = await run(['passes.ts'])
  assert.equal(code, 0)
  assert.match(blocks[0]!, /^▶ passes\.ts \(\d+ ms\)\n {2}✔ passes .+\n {2}﹣ is skipped .+ # for a reason\n/)
  assert.match(blocks[0]!, /\n {4}✔ lies in it .+\n {2}✔ a suite .+\n {6}printed by the file\n {6}seed 7$/)
  assert.deepEqual(['tests', 'suites', 'pass', 'fail', 'cancelled', 'skipped', 'todo'].map(sum), [...'3120010'])
  assert.match(end, /^ℹ duration_ms \d+$/m)
})

test('where no test may be skipped, one that is fails the run and is named, unless for a reason that is allowed', async () => {
  const { code, end } = await run(['passes.ts'], { maySkip: /needs root/ })
  assert.equal(code, 1)
  assert.match(end, /✖ skipped, which CI=true does not allow:\n {2}passes\.ts:\d+ is skipped # for a reason$/)
  assert.equal((await run(['passes.ts'], { maySkip: /for a reason/ })).code, 0)
})

test('a file that fails and holds a server is ended and named, with the test, its place and what keeps it', async () => {
  const { code, end, sum } = await run(['fails-and-holds.ts', 'passes.ts'], { limits: { afterwardsMs: 2_000 } })
  assert.equal(code, 1)
  assert.match(end, /✖ failed:\n\n {2}fails-and-holds\.ts:5 fails before it closes its server\n {6}AssertionError/)
  assert.match(end, /'what is'/)
  assert.match(end, /\n {2}fails-and-holds\.ts outlived its tests by 2 s, kept by .*1 TCPServerWrap/)
  assert.deepEqual(['tests', 'pass', 'fail'].map(sum), ['5', '2', '2'])
})

test('a file that passes and leaks fails the run', async () => {
  const { code, end, sum } = await run(['passes-and-leaks.ts'], { limits: { afterwardsMs: 2_000 } })
  assert.equal(code, 1)
  assert.match(end, /\n {2}passes-and-leaks\.ts outlived its tests by 2 s, kept by .*1 TCPServerWrap/)
  assert.deepEqual(['tests', 'pass', 'fail'].map(sum), ['2', '1', '1'])
})

test('a file whose exit has begun and does not end is ended, and told from one that something keeps', async () => {
  const { code, end } = await run(['hangs-in-exit.ts'], { limits: { afterwardsMs: 2_000 } })
  assert.equal(code, 1)
  assert.match(end, /\n {2}hangs-in-exit\.ts outlived its tests by 2 s, kept by its exit, which has begun/)
})

test('a process that a file leaves behind is named and killed', async () => {
  const { code, blocks, end } = await run(['leaves-a-process.ts'], { limits: { leftoversMs: 200, endMs: 200 } })
  assert.equal(code, 1)
  const [, pid] = /started (\d+)/.exec(blocks[0]!) ?? []
  assert.match(
    end,
    new RegExp(`leaves-a-process\\.ts left running: ${process.platform === 'linux' ? pid : 'a process'}`),
  )
  assert.ok(await isGone(Number(pid)))
})

test('a file that never ends is ended at its deadline, and the test it was in is named', async (t) => {
  const { env, nowMs } = untilMarked(t)
  const { code, end, sum } = await run(['never-ends.ts'], { env, nowMs })
  assert.equal(code, 1)
  assert.match(end, /never-ends\.ts not done within 600 s: in never-ends\.ts:6 waits for what never comes/)
  assert.deepEqual(['tests', 'pass', 'fail'].map(sum), ['2', '1', '1'])
})

test('a file that neither ends nor listens is killed', async (t) => {
  const { env, nowMs } = untilMarked(t)
  const { code, end } = await run(['spins.ts'], { env, nowMs, limits: { endMs: 200 } })
  assert.equal(code, 1)
  assert.match(end, /spins\.ts not done within 600 s: after its start/)
})

test('a file that crashes fails, however: at load, by a signal, with exit code 0 in mid-test, in a hook, too late', async () => {
  const { code, end, sum } = await run([
    'throws-at-load.ts',
    'is-killed.ts',
    'exits-early.ts',
    'hook-fails.ts',
    'late-error.ts',
  ])
  assert.equal(code, 1)
  assert.match(end, /\n {2}throws-at-load\.ts ended with exit code \d+ before its tests had, after its start/)
  assert.match(end, /\n {2}is-killed\.ts ended with SIGKILL before its tests had, in is-killed\.ts:4 kills its process/)
  assert.match(end, /\n {2}exits-early\.ts ended with exit code 0 before its tests had, after its start/)
  assert.match(end, /\n {2}hook-fails\.ts:4 .*\n {6}Error: thrown after the tests/)
  assert.match(end, /\n {2}late-error\.ts ended with exit code 1/)
  assert.equal(sum('fail'), '5')
})

test('options for Node.js reach the files', async () => {
  const { code, sum } = await run(['passes.ts'], { nodeOptions: ['--test-name-pattern=^passes$'] })
  assert.equal(code, 0)
  assert.equal(sum('tests'), '1')
})

test('a run that is ended ends its files and fails', async (t) => {
  const { env, signal } = untilMarked(t)
  const { code, end } = await run(['never-ends.ts', 'passes-and-leaks.ts', 'passes.ts'], { env, signal })
  assert.equal(code, 1)
  assert.match(end, /\n {2}never-ends\.ts ended with the run/)
  assert.doesNotMatch(end, /outlived/)
})

test('files about the whole service begin first, and those of a folder far apart', () => {
  const [browser, crash] = [
    ['a', 'b', 'c', 'd'],
    ['a', 'b'],
  ].map((names, n) => names.map((name) => `test/${['browser', 'crash'][n]}/${name}.test.ts`))
  const files = ['server/app.test.ts', ...browser!, ...crash!]
  const order = inTurns(files)
  assert.deepEqual([...order].sort(), [...files].sort())
  assert.equal(order.at(-1), 'server/app.test.ts')
  assert.deepEqual(
    order.filter((file) => browser!.includes(file)).map((file) => file.slice('test/browser/'.length)[0]),
    ['a', 'c', 'b', 'd'],
  )
  assert.ok(order.indexOf(crash![1]!) < order.indexOf(browser![3]!))
})

test('of stories in a browser two seeds that follow each other have every file, and each of them all others', () => {
  const others = [
    'server/app.test.ts',
    'test/browser/roles.test.ts',
    'test/browser/routes.test.ts',
    'test/crash/a.test.ts',
  ]
  const stories = ['a', 'b', 'c', 'd', 'e'].map((name) => `test/browser/${name}.test.ts`)
  const files = [...others, ...stories].sort()
  const [one, other] = [6, 7].map((seed) => withShare(files, seed))
  assert.deepEqual([...new Set([...one!, ...other!])].sort(), files)
  assert.deepEqual(one!.filter((file) => other!.includes(file)).sort(), others)
})
