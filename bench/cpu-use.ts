import { glob, readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { readPidFile } from '../server/platform/postgres/postmaster.ts'

/** Seconds of CPU time that were used, by what used them. */
export type CpuUse = Map<string, number>

/** Ticks of /proc a second, on every Linux that Node.js runs on. */
const TICKS_PER_SECOND = 100
const POSTGRES = 'PostgreSQL'
const THREADS = new Map([
  ['MainThread', 'main thread'],
  ['libuv-worker', 'thread pool'],
  // They collect garbage and compile.
  ['V8Worker', "V8's threads"],
])

/**
 * Processor time that the service's threads and its embedded PostgreSQL have used since they began. Threads and
 * processes that have ended are not in it (Linux).
 */
export async function cpuUseOf(service: { pid: number; dataDir: string }): Promise<CpuUse> {
  const use: CpuUse = new Map()
  const add = (name: string, ticks: number) => use.set(name, (use.get(name) ?? 0) + ticks / TICKS_PER_SECOND)
  for (const thread of await readdir(`/proc/${service.pid}/task`)) {
    const { name, ticks } = await statOf(`/proc/${service.pid}/task/${thread}`)
    add(THREADS.get(name) ?? 'other threads', ticks)
  }
  const all = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry))
  const stats = await Promise.all(all.map((pid) => statOf(`/proc/${pid}`).catch(() => undefined)))
  const postmaster = await postmasterOf(service.dataDir)
  for (const stat of stats)
    if (stat && (stat.pid === postmaster || stat.parent === postmaster)) add(POSTGRES, stat.ticks)
  return use
}

/** `main thread 0.91, PostgreSQL 0.40, …`: milliseconds of CPU time a unit between two looks. */
export function cpuUseText(before: CpuUse, after: CpuUse, units: number): string {
  const spent = [...after].map(([name, seconds]): [string, number] => [name, seconds - (before.get(name) ?? 0)])
  const ms = (seconds: number) => ((seconds * 1_000) / units).toFixed(2)
  const all = spent.reduce((sum, [, seconds]) => sum + seconds, 0)
  return `${ms(all)} ms: ${spent.map(([name, seconds]) => `${name} ${ms(seconds)}`).join(', ')}`
}

async function postmasterOf(dataDir: string): Promise<number | undefined> {
  for await (const pidFile of glob('**/postmaster.pid', { cwd: dataDir })) {
    return (await readPidFile(path.dirname(path.join(dataDir, pidFile))))?.pid
  }
  return undefined
}

async function statOf(directory: string) {
  const [, pid, name = '', rest = ''] = /^(\d+) \((.*)\) (.*)$/s.exec(await readFile(`${directory}/stat`, 'utf8')) ?? []
  const fields = rest.split(' ')
  // Of proc(5): field 4 is the parent, 14 and 15 the time in user and in kernel mode.
  return { pid: Number(pid), name, parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) }
}
