import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { unusable } from './start-error.ts'

/** The user that runs the server when we are root, as which PostgreSQL refuses to run. */
export type SystemUser = { uid: number; gid: number }

const NAME = 'postgres'
const ENVIRONMENT = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' }

/** Of shadow, then of shadow where the group exists already, then of busybox. */
const WAYS_TO_ADD: [string, string[]][] = [
  ['useradd', ['--system', '--user-group', '--home-dir', '/nonexistent', '--shell', '/usr/sbin/nologin', NAME]],
  ['useradd', ['--system', '--gid', NAME, '--home-dir', '/nonexistent', '--shell', '/usr/sbin/nologin', NAME]],
  ['adduser', ['-S', '-D', '-H', '-s', '/sbin/nologin', NAME]],
]

const run = promisify(execFile)

/** Options to run a program in a place and an environment that cannot disturb it, as `user` when there is one. */
export function processOptions(user: SystemUser | undefined) {
  return { cwd: '/', env: ENVIRONMENT, ...user }
}

/** The system's user `postgres`; makes it when it is missing. Only for root. */
export async function postgresUser(): Promise<SystemUser> {
  const known = await lookUp()
  if (known !== undefined) return known
  let refusal: unknown
  for (const [program, args] of WAYS_TO_ADD) {
    try {
      await run(program, args, processOptions(undefined))
      const added = await lookUp()
      if (added !== undefined) return added
    } catch (error) {
      refusal = error
    }
  }
  throw unusable(
    `PostgreSQL does not run as root, and the system user ${NAME} could not be made: start as an ordinary user`,
    refusal,
  )
}

async function lookUp(): Promise<SystemUser | undefined> {
  try {
    const [uid, gid] = await Promise.all(
      ['-u', '-g'].map((option) => run('id', [option, NAME], processOptions(undefined))),
    )
    return { uid: Number(uid?.stdout), gid: Number(gid?.stdout) }
  } catch {
    return undefined
  }
}

/** Whether the user can pass through every directory down to this one, by the system's own judgement. */
export async function canEnter(user: SystemUser, directory: string): Promise<boolean> {
  try {
    await run('/bin/sh', ['-c', 'test -x "$1"', 'sh', directory], processOptions(user))
    return true
  } catch {
    return false
  }
}
