import { type ChildProcess, fork } from 'node:child_process'
import { wholeLines } from './whole-lines.ts'

export type Message = { type: string }

/** How a process ended, and what it said last. */
export type Ended = { code: number | null; signal: NodeJS.Signals | null; last: Message | undefined }

export type KeepOptions = {
  entry: string
  args: readonly string[]
  /** Handed to the process as its first message, each time it is started. */
  task: Message
  /** A line that it has printed, whole. */
  onLine(stream: 'stdout' | 'stderr', line: string): void
  /** It is at work, for the first time or again. */
  onReady(pid: number | undefined): void
  /** It has ended by itself, and is started again after `againInMs`. */
  onEnded(ended: Ended & { againInMs: number }): void
}

export type KeptProcess = {
  /** Of the process as it is now. */
  pid(): number | undefined
  /** Resolves to what it says when it is ready; rejects when it ends before. Once. */
  ready: Promise<Message>
  /** Asks it something: its answer is the next message of the same type. Undefined when none comes within the time, or it is not ready. */
  ask(type: string, withinMs: number): Promise<Message | undefined>
  /** It is not started again when it ends from now on, by itself or by a signal to all processes at once. */
  letGo(): void
  /** Asks it to end and waits until it has; it is not started again. */
  stop(): Promise<Ended>
}

const READY = 'ready'
const STOP = 'stop'
/** Pause before a process that has ended is started again, doubled for each that did not run for a while. */
const AGAIN_FIRST_MS = 500
const AGAIN_MAX_MS = 30_000
const RAN_WELL_MS = 60_000

/** Thrown where a process ends before it was ready for the first time. */
export class NotReadyError extends Error {
  override readonly name = 'NotReadyError'
  readonly ended: Ended
  constructor(ended: Ended) {
    super(`ended before it was ready: ${ended.signal ?? ended.code}`)
    this.ended = ended
  }
}

/** Runs a process of our own and starts it again when it ends, unless it never was ready. It ends when we do. */
export function keepProcess(options: KeepOptions): KeptProcess {
  const ready = Promise.withResolvers<Message>()
  ready.promise.catch(() => undefined)
  const asked = new Map<string, (answer: Message | undefined) => void>()
  let child: ChildProcess
  let ended: Promise<Ended>
  let wasReady = false
  let isReady = false
  let isStopping = false
  let againInMs = AGAIN_FIRST_MS
  let again: NodeJS.Timeout | undefined

  function launch(): void {
    const startedMs = performance.now()
    let last: Message | undefined
    isReady = false
    child = fork(options.entry, options.args, { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
    child.on('message', (message: Message) => {
      last = message
      asked.get(message.type)?.(message)
      if (message.type !== READY) return
      wasReady = true
      isReady = true
      ready.resolve(message)
      options.onReady(child.pid)
    })
    for (const name of ['stdout', 'stderr'] as const) {
      const lines = wholeLines((line) => options.onLine(name, line))
      child[name]!.on('data', lines.write).once('end', lines.end)
    }
    // A channel that breaks shows in the end of the process.
    child.on('error', () => undefined)
    child.send(options.task, () => undefined)
    ended = new Promise((resolve) => {
      child.once('close', (code, signal) => resolve({ code, signal, last }))
    })
    void ended.then((how) => closed(how, performance.now() - startedMs))
  }

  function closed(how: Ended, ranMs: number): void {
    for (const answer of asked.values()) answer(undefined)
    if (isStopping) return
    if (!wasReady) {
      ready.reject(new NotReadyError(how))
      return
    }
    if (ranMs > RAN_WELL_MS) againInMs = AGAIN_FIRST_MS
    options.onEnded({ ...how, againInMs })
    again = setTimeout(launch, againInMs)
    againInMs = Math.min(AGAIN_MAX_MS, againInMs * 2)
  }

  function letGo(): void {
    isStopping = true
    clearTimeout(again)
  }

  launch()
  return {
    pid: () => child.pid,
    ready: ready.promise,
    ask(type, withinMs) {
      if (!isReady || !child.connected) return Promise.resolve(undefined)
      return new Promise((resolve) => {
        const late = setTimeout(() => answer(undefined), withinMs)
        const answer = (message: Message | undefined) => {
          clearTimeout(late)
          asked.delete(type)
          resolve(message)
        }
        asked.set(type, answer)
        child.send({ type }, () => undefined)
      })
    },
    letGo,
    stop() {
      letGo()
      if (child.connected) child.send({ type: STOP }, () => undefined)
      return ended
    },
  }
}
