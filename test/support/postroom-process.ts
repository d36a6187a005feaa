import { spawn } from 'node:child_process'
import path from 'node:path'
import { until } from './instance.ts'
import { PATIENCE } from './patience.ts'

const ENTRY = path.join(import.meta.dirname, '..', '..', 'bin', 'postroom.js')
/** Commands are short and many: what they load is compiled once. */
const COMPILE_CACHE = path.join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'postroom-test')
const RUN_LIMIT_MS = 180_000
const UP_WITHIN_MS = 180_000

/** The output of a command and how it ended. */
export type Ended = { code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string }

export type PostroomProcess = {
  pid: number
  stdout(): string
  stderr(): string
  /** Resolves when it has ended and everything it printed is read. */
  ended: Promise<Ended>
  /** Signals it, SIGTERM if nothing else is said, and resolves as `ended` does. One that has ended is left alone. */
  end(signal?: NodeJS.Signals): Promise<Ended>
}

type Options = {
  /** Settings. Of the test's own environment only PATH and HOME are handed on. */
  env?: Record<string, string>
  /** In a process group of its own, as under a terminal. */
  detached?: boolean
  /** Its standard output is a pipe that nobody reads from, as behind `head` once that has seen enough. */
  unread?: boolean
}

/** Starts the program as a person does, without any setting that is not given; in one process and patient, whatever the machine has. */
export function spawnPostroom(
  args: readonly string[],
  { env = {}, detached = false, unread = false }: Options = {},
): PostroomProcess {
  const { PATH, HOME } = process.env
  const child = spawn(ENTRY, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached,
    env: { PATH, HOME, NODE_COMPILE_CACHE: COMPILE_CACHE, PROCESSES: '1', ...PATIENCE, ...env },
  })
  const killWithUs = () => child.kill('SIGTERM')
  process.once('exit', killWithUs)
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text
    })
  }
  if (unread) child.stdout.destroy()
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => {
      process.off('exit', killWithUs)
      resolve({ code, signal, ...texts })
    })
  })
  const end = (signal?: NodeJS.Signals) => {
    child.kill(signal)
    return ended
  }
  return { pid: child.pid ?? 0, stdout: () => texts.stdout, stderr: () => texts.stderr, ended, end }
}

/** Waits until a service that was started says that it is up. One that ends instead is told with what it has printed. */
export async function untilUp(started: PostroomProcess): Promise<void> {
  let ended: Ended | undefined
  void started.ended.then((how) => {
    ended = how
  })
  const isUp = async () => {
    if (ended) throw new Error(`the service ended: ${ended.code ?? ended.signal}\n${ended.stderr}${ended.stdout}`)
    return started.stdout().includes('is running')
  }
  await until('a service to be up', isUp, UP_WITHIN_MS)
}

/** Runs a command to its end. One that does not end is killed. */
export async function runPostroom(
  args: readonly string[],
  env: Record<string, string> = {},
  { unread = false }: Pick<Options, 'unread'> = {},
): Promise<Ended> {
  const child = spawnPostroom(args, { env, unread })
  const limit = setTimeout(() => child.end('SIGKILL'), RUN_LIMIT_MS)
  try {
    return await child.ended
  } finally {
    clearTimeout(limit)
  }
}
