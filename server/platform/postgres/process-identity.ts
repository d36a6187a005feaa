import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** A process and not its number, which the system gives to another one later. `startedAt` is opaque: compare it only. */
export type ProcessIdentity = { pid: number; startedAt: string }

const onLinux = process.platform === 'linux'
/** Elsewhere each look costs a run of `ps`. */
const GONE_POLL_MS = onLinux ? 50 : 1_000

/** The process that has this number now; undefined when there is none or only a zombie, which holds nothing any more. */
export function identityOf(pid: number): ProcessIdentity | undefined {
  const startedAt = onLinux ? startOnLinux(pid) : startFromPs(pid)
  return startedAt === undefined ? undefined : { pid, startedAt }
}

export function isRunning(identity: ProcessIdentity): boolean {
  return identityOf(identity.pid)?.startedAt === identity.startedAt
}

/** Resolves when a process that is not our child has ended; rejects when `signal` aborts. Does not keep Node running. */
export async function whenGone(identity: ProcessIdentity, signal?: AbortSignal): Promise<void> {
  while (isRunning(identity)) await sleep(GONE_POLL_MS, undefined, { ref: false, ...(signal ? { signal } : {}) })
}

/** Whether the process is a PostgreSQL server on this directory, which may have been moved since the server started. */
export function isPostmasterOf(pid: number, clusterDir: string): boolean {
  const [program = '', ...args] = commandOf(pid)
  if (basename(program) !== 'postgres') return false
  return args.includes(clusterDir) || workingDirOf(pid) === clusterDir
}

/**
 * Processes of a server whose postmaster is gone: children that still hold its shared memory, found by the cluster's
 * name in their titles. Those of a living postmaster do not count. Empty where there is no /proc.
 */
export function orphansOf(clusterName: string): number[] {
  if (!onLinux) return []
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && commandOf(pid)[0]?.startsWith(`postgres: ${clusterName}: `))
    .filter((pid) => basename(commandOf(parentOf(pid))[0] ?? '') !== 'postgres')
}

const bootId = () => (readText('/proc/sys/kernel/random/boot_id') ?? '').slice(0, 8)

/** Start time in ticks since boot, with the boot it counts from. */
function startOnLinux(pid: number): string | undefined {
  const [state = 'X', ...fields] = statFields(pid)
  const startTicks = fields[18]
  return 'ZX'.includes(state) || startTicks === undefined ? undefined : `${bootId()}-${startTicks}`
}

function startFromPs(pid: number): string | undefined {
  const [state = 'Z', ...start] = ps(pid, 'stat=,lstart=').split(/\s+/)
  return state.startsWith('Z') || start.length === 0 ? undefined : String(Date.parse(start.join(' ')))
}

function commandOf(pid: number): string[] {
  if (onLinux) return (readText(`/proc/${pid}/cmdline`) ?? '').split('\0')
  return ps(pid, 'command=').split(' ')
}

function parentOf(pid: number): number {
  return Number(statFields(pid)[1] ?? 0)
}

/** proc_pid_stat(5) from the state on; the program's name before it may itself contain spaces and brackets. */
function statFields(pid: number): string[] {
  const stat = readText(`/proc/${pid}/stat`)
  return stat === undefined ? [] : stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

/** Not readable for root without CAP_SYS_PTRACE when the process is another user's. */
function workingDirOf(pid: number): string | undefined {
  try {
    return onLinux ? readlinkSync(`/proc/${pid}/cwd`) : undefined
  } catch {
    return undefined
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

function ps(pid: number, columns: string): string {
  try {
    return execFileSync('ps', ['-o', columns, '-p', String(pid)], { encoding: 'utf8', env: { LC_ALL: 'C' } }).trim()
  } catch {
    return ''
  }
}
