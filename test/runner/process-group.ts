import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'

const LOOK_EVERY_MS = 50
const KILL_LIMIT_MS = 5_000

/** Ends what runs in a process group: asks it to, and kills what is left after `endMs`. */
export async function endGroup(group: number, endMs: number): Promise<void> {
  signalGroup(group, 'SIGTERM')
  if ((await whenEmpty(group, endMs)).length === 0) return
  signalGroup(group, 'SIGKILL')
  await whenEmpty(group, KILL_LIMIT_MS)
}

/** Waits until a process group is empty. Resolves with the processes still in it after `withinMs`. */
export async function whenEmpty(group: number, withinMs: number): Promise<string[]> {
  const deadlineMs = performance.now() + withinMs
  while (signalGroup(group, 0)) {
    const members = await membersOf(group)
    if (members.length === 0 || performance.now() > deadlineMs) return members
    await delay(LOOK_EVERY_MS)
  }
  return []
}

/** False when there is nobody in it. */
function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, signal)
  } catch (error) {
    // macOS answers EPERM where all that is left of a group waits to be collected.
    if (['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) return false
    throw error
  }
}

/** The processes of a group, without those that have ended and wait to be collected. Where there is no `/proc`, one name stands for all. */
async function membersOf(group: number): Promise<string[]> {
  const names = await readdir('/proc').catch(() => undefined)
  if (names === undefined) return ['a process']
  const pids = names.filter((name) => /^\d+$/.test(name))
  const members = await Promise.all(
    pids.map(async (pid) => {
      // 12 (name of the program) S parent group
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
      const [, program, state, processGroup] = /^\d+ \((.*)\) (\S) \d+ (\d+) /s.exec(stat) ?? []
      if (Number(processGroup) !== group || state === 'Z' || state === 'X') return []
      const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
      return [`${pid} ${command.split('\0').join(' ').trim() || program}`]
    }),
  )
  return members.flat()
}
