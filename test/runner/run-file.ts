import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { collectFacts, type Facts } from './collect-facts.ts'
import { FACTS_FD, type TestResult } from './facts.ts'
import { endGroup, whenEmpty } from './process-group.ts'

const REPORTER = fileURLToPath(new URL('./tell-tests.ts', import.meta.url))
/** Loading as in the service (`bin/postroom.js`): without types that were taken out before, and with packages looked for once. */
const LOADED_ONCE = ['resolve-once', 'strip-once'].map(
  (name) => `--import=${new URL(`../../bin/${name}.js`, import.meta.url)}`,
)
/** Files load much the same modules: each is compiled once. */
const COMPILE_CACHE = fileURLToPath(new URL('../../node_modules/.cache/postroom-test', import.meta.url))
const LOOK_EVERY_MS = 100
/** To read what an ended process has printed; somebody outside its group may hold on to its output. */
const READ_LIMIT_MS = 2_000

export type FileLimits = {
  /** For all of a file. */
  fileMs: number
  /** For what a file does after its last test: its hooks, and to end. */
  afterwardsMs: number
  /** For processes that a file has started, to end after it. */
  leftoversMs: number
  /** For what was told to end, before it is killed. */
  endMs: number
}

export type FileOptions = {
  /** The directory that the file runs in, where its path and the places of its tests begin. */
  root: string
  limits: FileLimits
  /** For Node.js, before the file. */
  nodeOptions: readonly string[]
  env: NodeJS.ProcessEnv
  /** Ends the file at once. */
  signal: AbortSignal
  /** The clock that limits are held to. */
  nowMs(): number
}

/** A test file as it ran. */
export type FileRun = {
  file: string
  results: TestResult[]
  /** Lines of the file, and remarks of its tests and of Node.js's test runner. */
  output: string
  /** Why the file failed, besides its tests; undefined when it ended as it should. */
  fault: string | undefined
  /** It had to be ended, or a process of its. */
  leaked: boolean
  ms: number
  /** Of a processor's time, in the file's own process; 0 when it was ended. */
  cpuMs: number
  /** The same of the processes that it started. */
  startedCpuMs: number
}

/** Runs a test file in a process group of its own, which is empty when this resolves. */
export async function runFile(file: string, options: FileOptions): Promise<FileRun> {
  const beganMs = options.nowMs()
  const child = start(file, options)
  const facts = collectFacts(child.stdio[FACTS_FD] as Readable, options.nowMs)
  const output = textOf(child)
  const [ended, read] = [once(child, 'exit'), once(child, 'close')]
  await once(child, 'spawn')
  const group = child.pid as number

  let overstayed: string | undefined
  while (isRunning(child) && overstayed === undefined) {
    await Promise.race([ended, delay(LOOK_EVERY_MS)])
    if (isRunning(child)) overstayed = whyEnd(beganMs, facts, options)
  }
  const left = overstayed === undefined ? await whenEmpty(group, options.limits.leftoversMs) : []
  await endGroup(group, options.limits.endMs)
  await ended
  await Promise.race([read, delay(READ_LIMIT_MS, undefined, { ref: false })])

  const survived = left.length > 0 ? `left running: ${left.join(', ')}` : undefined
  return {
    file,
    results: facts.results,
    output: [output(), ...facts.remarks].filter(Boolean).join('\n'),
    fault: overstayed ?? survived ?? badEnd(child, facts),
    leaked: !options.signal.aborted && (overstayed ?? survived) !== undefined,
    ms: options.nowMs() - beganMs,
    cpuMs: facts.cpuMs(),
    startedCpuMs: facts.startedCpuMs(),
  }
}

function start(file: string, { root, nodeOptions, env }: FileOptions): ChildProcess {
  const reporter = [`--test-reporter=${REPORTER}`, '--test-reporter-destination=stdout']
  return spawn(process.execPath, [...reporter, ...LOADED_ONCE, ...nodeOptions, file], {
    cwd: root,
    env: { NODE_COMPILE_CACHE: COMPILE_CACHE, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    detached: true,
  })
}

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null
}

/** The text of both outputs, as it came. */
function textOf({ stdout, stderr }: ChildProcess): () => string {
  let text = ''
  for (const stream of [stdout, stderr]) {
    stream?.setEncoding('utf8').on('data', (part: string) => {
      text += part
    })
  }
  return () => text.trimEnd()
}

/** Why a file that still runs must end now; undefined when it may go on. */
function whyEnd(beganMs: number, facts: Facts, { limits, signal, nowMs }: FileOptions): string | undefined {
  if (signal.aborted) return 'ended with the run'
  const doneSinceMs = facts.doneSinceMs()
  if (doneSinceMs !== undefined && nowMs() - doneSinceMs > limits.afterwardsMs) {
    return `outlived its tests by ${limits.afterwardsMs / 1_000} s, kept by ${facts.heldBy().join(', ') || 'its own work'}`
  }
  if (nowMs() - beganMs < limits.fileMs) return undefined
  return `not done within ${limits.fileMs / 1_000} s: ${whereIn(facts)}`
}

/** The fault of a file that ended by itself, unless its results say it. */
function badEnd({ exitCode, signalCode }: ChildProcess, facts: Facts): string | undefined {
  const end = `ended with ${signalCode ?? `exit code ${exitCode}`}`
  if (!facts.isOver()) return `${end} before its tests had, ${whereIn(facts)}`
  const failed = facts.results.some(({ outcome }) => outcome === 'fail' || outcome === 'cancelled')
  return exitCode === 0 || (exitCode === 1 && failed) ? undefined : end
}

/** How far the tests had come. One that never gives way is not told of, nor are those just before it. */
function whereIn(facts: Facts): string {
  const running = facts.running()
  return running.length > 0 ? `in ${running.join(', in ')}` : `after ${facts.last() ?? 'its start'}`
}
