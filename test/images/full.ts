import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { chmod, copyFile, cp, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { freePort, until } from '../support/instance.ts'
import { PATIENCE } from '../support/patience.ts'

/*
 * The image of ops/Containerfile: built from this checkout on a Debian that is put together here, for images of others cannot
 * be fetched everywhere, then run as its own user without any right, until it is ready, and stopped.
 */

const ROOT = new URL('../..', import.meta.url).pathname
const WITHIN_MS = 180_000
const [BASE, IMAGE] = ['localhost/postroom-test-base', 'localhost/postroom-test']
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt'

/** Why this machine cannot build the image; undefined where it can. */
function whyNot(): string | undefined {
  if (process.getuid?.() !== 0) return 'an image is built by root alone, without a registry to take its base from'
  for (const [program, found] of [
    ['buildah', '--version'],
    ['debootstrap', '--version'],
  ] as const) {
    try {
      execFileSync(program, [found], { stdio: 'ignore' })
    } catch {
      return `${program} is not here: apt-get install buildah crun debootstrap`
    }
  }
  return undefined
}

const run = (program: string, ...args: string[]) => execFileSync(program, args, { encoding: 'utf8', cwd: ROOT }).trim()

/** What the image has its container be asked for its health. */
function healthCheck(): string[] {
  const image = JSON.parse(run('buildah', 'inspect', '--type', 'image', IMAGE))
  const [kind, ...command] = image.Docker.config.Healthcheck.Test as string[]
  assert.equal(kind, 'CMD')
  return command
}

/** Debian with the Node.js and the npm of this machine. */
async function makeBase(directory: string): Promise<void> {
  run(
    'debootstrap',
    '--variant=minbase',
    '--include=libstdc++6,ca-certificates',
    'bookworm',
    directory,
    'http://deb.debian.org/debian',
  )
  await copyFile(
    run('sh', '-c', 'PATH=$(echo "$PATH" | tr : "\\n" | grep -v node_modules | paste -sd:) command -v node'),
    join(directory, 'usr/bin/node'),
  )
  await chmod(join(directory, 'usr/bin/node'), 0o755)
  await cp(join(run('npm', 'root', '--global'), 'npm'), join(directory, 'usr/lib/node_modules/npm'), {
    recursive: true,
  })
  for (const name of ['npm', 'npx'])
    await symlink(`../lib/node_modules/npm/bin/${name}-cli.js`, join(directory, 'usr/bin', name))
  await copyFile(CERTIFICATES, join(directory, CERTIFICATES))
  const container = run('buildah', 'from', 'scratch')
  run('buildah', 'add', '--quiet', container, directory, '/')
  const trust = `NODE_EXTRA_CA_CERTS=${CERTIFICATES}`
  run('buildah', 'config', '--env', trust, '--env', `npm_config_cafile=${CERTIFICATES}`, container)
  run('buildah', 'commit', '--quiet', container, BASE)
  run('buildah', 'rm', container)
}

test('the image is built, runs as a user without rights on its embedded database, and stops in order', {
  skip: whyNot() ?? false,
}, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'postroom-base-'))
  let container: string | undefined
  try {
    await makeBase(directory)
    const build = ['--isolation', 'chroot', '--pull-never', '--format', 'docker', '--build-arg', `BASE=${BASE}`]
    run('buildah', 'build', ...build, '--tag', IMAGE, '--file', 'ops/Containerfile', '.')
    container = run('buildah', 'from', '--pull-never', IMAGE)
    const port = await freePort()
    const given = { PORT: String(port), HOST: '127.0.0.1', MAILBOX_ADDR: 'off', ...PATIENCE }
    const settings = Object.entries(given).flatMap(([name, value]) => ['--env', `${name}=${value}`])
    const runs = ['run', '--isolation', 'chroot', '--cap-drop', 'all']
    const args = [...runs, ...settings, container]
    const service = spawn('buildah', [...args, '--', '/opt/postroom/postroom', 'start'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let said = ''
    for (const stream of [service.stdout, service.stderr]) stream.on('data', (bytes) => (said += bytes))
    const ended = new Promise<number | null>((resolve) => service.once('close', resolve))
    await until(
      'it is ready',
      async () => (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined))?.status === 200,
      WITHIN_MS,
    )
    const check = healthCheck()
    run('buildah', ...args, '--', ...check)
    const elsewhere = [...runs, '--env', `PORT=${await freePort()}`, container]
    assert.throws(() => run('buildah', ...elsewhere, '--', ...check), 'nobody is healthy where nobody answers')
    // The process is this machine's, seen from outside.
    const pid = Number(/"pid":(\d+)/.exec(said)![1])
    const status = await readFile(`/proc/${pid}/status`, 'utf8')
    assert.match(status, /^Uid:(\s+10001){4}$/m)
    assert.match(status, /^CapEff:\s+0+$/m)
    // buildah does not hand signals on.
    process.kill(pid, 'SIGTERM')
    assert.equal(await ended, 0, said)
    assert.match(said, /"msg":"stopped"/)
    assert.doesNotMatch(said, /"level":"error"/, 'the dashboard is the one of the image')
  } finally {
    if (container !== undefined) run('buildah', 'rm', container)
    const left = run('buildah', 'images', '--quiet', '--filter', `reference=${IMAGE}*`)
    if (left !== '') run('buildah', 'rmi', '--force', ...left.split('\n'))
    await rm(directory, { recursive: true, force: true })
  }
})
