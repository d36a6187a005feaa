import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** Worlds that share a log, and so the work; the model test names their seed. */
export const WORLDS_AT_ONCE = 512
/** Worlds that one process of the model test goes through: some minutes. */
export const WORLDS_A_PIECE = 1_024

/** `more`: variables of the environment besides, and what is loaded before the test. */
export type Piece = { seed: number; worlds: number; more?: Record<string, string>; hook?: string }
/** `seed`: that of the worlds in which it failed, where it says so; `why`: what it said of it, without the automation. */
export type PieceEnd = { passed: true } | { passed: false; seed: number | undefined; why: string; output: string }

/** How long a process may take: an engine that is wrong may stand still, which the test says only after a while. */
const MINUTES_A_PIECE = 30

const SEED = /AUTOMATION_SEED=(\d+) AUTOMATION_WORLDS=\d+: (.*)/
const CHARS_TOLD = 80

/** Runs the model test over some worlds. */
export function runWorlds({ seed, worlds, more = {}, hook }: Piece): Promise<PieceEnd> {
  const { promise, resolve, reject } = Promise.withResolvers<PieceEnd>()
  const given = { AUTOMATION_SEED: String(seed), AUTOMATION_WORLDS: String(worlds) }
  const env = { POSTROOM_FILE_MINUTES: String(MINUTES_A_PIECE), ...process.env, ...given, ...more }
  const file = ['test/automations/model.test.ts', ...(hook === undefined ? [] : [`--import=${hook}`])]
  const child = spawn(process.execPath, ['test/runner/main.ts', ...file], { cwd: ROOT, env })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.on('error', reject)
  child.on('close', (code) => {
    if (code === 0) return resolve({ passed: true })
    const [, failed, cause = ''] = SEED.exec(output) ?? []
    const why = cause.slice(cause.startsWith('AUTOMATION_ONLY') ? cause.lastIndexOf(']: ') + 3 : 0).slice(0, CHARS_TOLD)
    resolve({ passed: false, seed: failed === undefined ? undefined : Number(failed), why, output })
  })
  return promise
}
