import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

export const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const SDK = join(ROOT, 'sdk')
const TSC = join(ROOT, 'node_modules', '.bin', 'tsc')

/** Runs a program to its end and answers what it printed; one that fails throws that. */
export async function run(
  file: string,
  args: readonly string[],
  options: { cwd: string; env?: Record<string, string> },
): Promise<string> {
  const env = { ...process.env, ...options.env }
  const { stdout } = await promisify(execFile)(file, args, { ...options, env }).catch(
    (error: { stdout: string; stderr: string }) => {
      throw new Error(`${file} ${args.join(' ')}\n${error.stdout}${error.stderr}`, { cause: error })
    },
  )
  return stdout
}

export type InstalledClient = {
  /** A folder of a user, with the client in its `node_modules`. */
  folder: string
  packed: string[]
  /** Writes a file into the folder. */
  write(name: string, text: string): Promise<string>
  remove(): Promise<void>
}

/** Builds and packs the client as `npm pack` in `sdk` does, and installs the tarball into a folder where nothing else is, offline. */
export async function installClient(): Promise<InstalledClient> {
  const place = await mkdtemp(join(tmpdir(), 'postroom-client-'))
  const [source, folder] = [join(place, 'package'), join(place, 'user')]
  await mkdir(source)
  await mkdir(folder)
  for (const name of ['package.json', 'README.md', 'LICENSE']) await cp(join(SDK, name), join(source, name))
  await run(TSC, ['-p', SDK, '--outDir', join(source, 'dist')], { cwd: ROOT })
  const packed = await run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', place], { cwd: source })
  const tarball = (await readdir(place)).find((name) => name.endsWith('.tgz'))!
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'user', private: true, type: 'module' }))
  await run('npm', ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', join(place, tarball)], {
    cwd: folder,
  })
  // Those that a user has beside it.
  for (const name of ['nodemailer', '@types'])
    await symlink(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name))
  return {
    folder,
    packed: (JSON.parse(packed) as { files: { path: string }[] }[])[0]!.files.map(({ path }) => path),
    async write(name, text) {
      await writeFile(join(folder, name), text)
      return join(folder, name)
    },
    remove: () => rm(place, { recursive: true, force: true }),
  }
}
