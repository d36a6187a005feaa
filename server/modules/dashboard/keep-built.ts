import { type ChildProcess, spawn } from 'node:child_process'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BUILDS_DIR, DASHBOARD_DIR, TRACKER_DIR } from './built-app.ts'

const BUILDER = fileURLToPath(new URL('../../../bin/build-dashboard.js', import.meta.url))
const LOCKFILE = fileURLToPath(new URL('../../../package-lock.json', import.meta.url))
const SAID_CHARS_MAX = 500

export type BuildState =
  | { state: 'idle' }
  | { state: 'building' }
  /** `reason` is the line that the builder left. */
  | { state: 'failed'; reason: string }

/**
 * Sees to it that there is a build of the dashboard as its sources are, in a process of its own beside the listening
 * server: an installation without `prepare` (`--ignore-scripts`), or one that was updated in place, has none.
 */
export function createBuildKeeper(onError: (error: unknown) => void) {
  let current: BuildState = { state: 'idle' }
  let child: ChildProcess | undefined
  let hasStopped = false

  async function build(): Promise<void> {
    current = { state: 'building' }
    child = spawn(process.execPath, [BUILDER], { stdio: ['ignore', 'pipe', 'pipe'] })
    let said = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        said = (said + text).slice(-SAID_CHARS_MAX)
      })
    }
    const ended = await new Promise<boolean>((resolve) => {
      child?.once('error', () => resolve(false))
      child?.once('close', (code) => resolve(code === 0))
    })
    child = undefined
    const reason = said.trim() || 'The build ended without a word.'
    current = ended ? { state: 'idle' } : { state: 'failed', reason }
    if (!ended && !hasStopped) onError(new Error(`the dashboard was not built: ${reason}`))
  }

  return {
    state: () => current,
    /** Builds unless what there is looks up to date; the builder itself knows for sure. Resolves when that is settled. */
    async refresh(): Promise<void> {
      if (current.state === 'building' || (await isUpToDate())) return
      await build()
    },
    stop(): void {
      hasStopped = true
      child?.kill()
    },
  }
}

export type BuildKeeper = ReturnType<typeof createBuildKeeper>

/** By times of files, which costs a few milliseconds; a checkout that touched them has the builder look at their text. */
async function isUpToDate(): Promise<boolean> {
  const built = await changedMs(join(BUILDS_DIR, 'current'))
  if (built === undefined) return false
  const trees = [DASHBOARD_DIR, TRACKER_DIR].map(async (from) =>
    readdir(from, { recursive: true, withFileTypes: true }).catch(() => []),
  )
  const sources = (await Promise.all(trees))
    .flat()
    .filter((entry) => entry.isFile() && !entry.parentPath.startsWith(BUILDS_DIR))
    .map(({ parentPath, name }) => join(parentPath, name))
  const times = await Promise.all([...sources, LOCKFILE].map(changedMs))
  return times.every((time) => time === undefined || time <= built)
}

async function changedMs(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.mtimeMs
}
