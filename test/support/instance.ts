import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pauseMs } from './eventually.ts'
import { PATIENCE } from './patience.ts'

const START_TIMEOUT_MS = 180_000
const STOP_TIMEOUT_MS = 35_000
/** A start on a busy machine is not held up by questions whether it is done. */
const POLL_MS = { min: 50, max: 250 }
/** More than services print that tests start: those of benchmarks work for hours. */
const OUTPUT_CHARS_MAX = 64 * 1024 * 1024
/** Of what one has printed that did not start. */
const TOLD_CHARS_MAX = 4_000
/** Above those that browsers refuse to visit, and all below those that embedded servers draw theirs from (20,000). */
export const PORTS_FROM = 12_000
export const PORTS_EACH = 19
export const PORT_SHARES = 400
let portsTried = 0
const ENTRY = path.join(import.meta.dirname, '..', '..', 'bin', 'postroom.js')

/** Many instances are started by `npm test`: what they load is compiled once. */
const { NODE_COMPILE_CACHE } = process.env
const COMPILE_CACHE = NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }

export type Instance = {
  /** `http://127.0.0.1:<port>` */
  baseUrl: string
  metricsUrl: string
  /** API token with every scope, in workspace 1. */
  token: string
  email: string
  password: string
  dataDir: string
  pid: number
  /** From spawn to the first 200 of `/readyz`. */
  readyAfterMs: number
  /** Resident memory of the service's own process, without PostgreSQL (Linux). */
  rssBytes(): Promise<number>
  /** The metrics as text. */
  metrics(): Promise<string>
  /** All that it has printed: what must not be in there is nowhere. */
  output(): string
  /** Asks it to end, waits until it has, and removes its data. */
  stop(): Promise<void>
  /** `kill -9`, its database and its data left as they are. Resolves when it is gone, also when it died by itself. */
  kill(): Promise<void>
  /** Resolves when it has ended, whatever the cause. */
  ended: Promise<void>
}

export type InstanceOptions = {
  /** Settings on top of those every instance gets; `DATABASE_URL` needs an `ENCRYPTION_KEY` beside it. */
  env?: Record<string, string>
  /** Started on again and left in place, unlike the temporary one an instance has without it. */
  dataDir?: string
  /** The public port; a free one when absent. */
  port?: number
}

/** Starts the service as `npm start` does, on free ports of loopback, and waits until it is ready. */
export async function startInstance(options: InstanceOptions = {}): Promise<Instance> {
  const id = randomBytes(6).toString('hex')
  // Not made here: the service makes it with the rights its database needs.
  const dataDir = options.dataDir ?? path.join(os.tmpdir(), `postroom-bench-${id}`)
  const port = options.port ?? (await freePort())
  const metricsPort = await freePort(port)
  const login = {
    token: options.env?.BOOTSTRAP_TOKEN ?? `bench-${randomBytes(24).toString('hex')}`,
    email: 'bench@example.com',
    password: `pw-${id}-${id}`,
  }
  const startedMs = performance.now()
  const child = spawn(ENTRY, ['start'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      HOST: '127.0.0.1',
      PORT: String(port),
      METRICS_ADDR: `127.0.0.1:${metricsPort}`,
      DATA_DIR: dataDir,
      BOOTSTRAP_TOKEN: login.token,
      BOOTSTRAP_EMAIL: login.email,
      BOOTSTRAP_PASSWORD: login.password,
      LOG_LEVEL: 'warn',
      LOG_FORMAT: 'json',
      PROCESSES: '1',
      ...PATIENCE,
      ...COMPILE_CACHE,
      ...options.env,
    },
  })
  // A benchmark that dies must not leave a service behind.
  const killWithUs = () => child.kill('SIGTERM')
  process.once('exit', killWithUs)
  child.once('exit', () => process.off('exit', killWithUs))
  const output = outputOf(child)
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const remove = () => (options.dataDir ? Promise.resolve() : rm(dataDir, { recursive: true, force: true }))
  const baseUrl = `http://127.0.0.1:${port}`
  try {
    await ready(child, baseUrl)
  } catch (error) {
    await end(child)
    await remove()
    throw new Error(`the instance did not start\n${output().slice(-TOLD_CHARS_MAX)}`, { cause: error })
  }
  const metricsUrl = `http://127.0.0.1:${metricsPort}/metrics`
  return {
    baseUrl,
    metricsUrl,
    ...login,
    dataDir,
    pid: child.pid ?? 0,
    readyAfterMs: performance.now() - startedMs,
    rssBytes: () => rssBytesOf(child.pid ?? 0),
    metrics: async () => (await fetch(metricsUrl)).text(),
    output,
    ended,
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
    stop: async () => {
      await end(child)
      await remove()
    },
  }
}

/** Waits for `condition` to hold; fails after `timeoutMs`, naming what it waited for. */
export async function until(what: string, condition: () => Promise<boolean>, timeoutMs: number): Promise<void> {
  const beganMs = performance.now()
  while (!(await condition())) {
    const waitedMs = performance.now() - beganMs
    if (waitedMs > timeoutMs) throw new Error(`waited ${timeoutMs} ms in vain for ${what}`)
    await sleep(pauseMs(waitedMs, POLL_MS))
  }
}

async function ready(child: ChildProcess, baseUrl: string): Promise<void> {
  const answers = async () => {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`it ended: ${child.exitCode ?? child.signalCode}`)
    const response = await fetch(`${baseUrl}/readyz`, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined)
    await response?.body?.cancel()
    return response?.status === 200
  }
  await until('/readyz', answers, START_TIMEOUT_MS)
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  const kill = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
  await ended
  clearTimeout(kill)
}

/** Keeps reading what the child prints, so that it never blocks, and remembers it. */
function outputOf(child: ChildProcess): () => string {
  const texts: string[] = []
  let chars = 0
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      chars += text.length
      texts.push(text)
      while (chars > OUTPUT_CHARS_MAX) chars -= texts.shift()!.length
    })
  }
  return () => texts.join('')
}

async function rssBytesOf(pid: number): Promise<number> {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) * 1_024
}

/**
 * A port of loopback that nobody else is given before it is listened on: it lies below those that a system gives to whoever
 * asks for any, and each process looks among some of its own, one after the other. Not `other`: nobody listens on it yet, or
 * any more.
 */
export async function freePort(other?: number): Promise<number> {
  ownPorts ??= claimPorts()
  const first = await ownPorts
  for (let tries = 0; tries < PORTS_EACH; tries++) {
    const port = first + (portsTried++ % PORTS_EACH)
    if (port !== other && (await isFree(port))) return port
  }
  throw new Error(`${PORTS_EACH} ports of process ${process.pid} are all taken`)
}

let ownPorts: Promise<number> | undefined

/**
 * The first of the ports that are this process's own for as long as it runs. It listens before them: of two processes whose ids end
 * alike one would be given the port that the other's instance is about to listen on, or left for a moment, and test that one.
 */
async function claimPorts(): Promise<number> {
  for (let tries = 0; tries < PORT_SHARES; tries++) {
    const claim = PORTS_FROM + ((process.pid + tries) % PORT_SHARES) * (1 + PORTS_EACH)
    const server = await listening(claim)
    if (server === undefined) continue
    server.unref()
    return claim + 1
  }
  throw new Error(`${PORT_SHARES} processes have ports`)
}

async function isFree(port: number): Promise<boolean> {
  const server = await listening(port)
  await new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve)))
  return server !== undefined
}

/** Undefined where somebody else listens. */
async function listening(port: number): Promise<Server | undefined> {
  const server = createServer()
  return await new Promise((resolve) => {
    server.once('error', () => resolve(undefined))
    server.listen(port, '127.0.0.1', () => resolve(server))
  })
}
