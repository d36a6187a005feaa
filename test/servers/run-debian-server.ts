import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DebianServer } from './debian-servers.ts'

/** Why this machine cannot run Debian's servers; undefined where it can. */
export function whyNoServers(): string | undefined {
  if (process.getuid?.() !== 0) return 'mail servers of Debian are installed by root alone, in namespaces of their own'
  try {
    execFileSync('unshare', ['--mount', '--pid', '--fork', 'true'], { stdio: 'ignore' })
    execFileSync('apt-get', ['--version'], { stdio: 'ignore' })
    return undefined
  } catch {
    return 'mail servers of Debian take apt-get and namespaces, which are not here'
  }
}

/**
 * The machine's files under a layer in memory, which packages are installed into: nothing of it is left, and no other
 * process sees it. Started daemons end with the first process of the namespace.
 */
const LAYER = `
set -e
mount -t tmpfs tmpfs "$LAYER"
mkdir "$LAYER"/upper "$LAYER"/work "$LAYER"/root
mount -t overlay overlay -o lowerdir=/,upperdir="$LAYER"/upper,workdir="$LAYER"/work "$LAYER"/root
mount --rbind /dev "$LAYER"/root/dev
mount -t proc proc "$LAYER"/root/proc
printf '#!/bin/sh\\nexit 101\\n' > "$LAYER"/root/usr/sbin/policy-rc.d
chmod 755 "$LAYER"/root/usr/sbin/policy-rc.d
exec chroot "$LAYER"/root /bin/bash --norc -c "$SERVER"
`
const INSTALL = `
set -e
export DEBIAN_FRONTEND=noninteractive
ls /var/lib/apt/lists/*Packages* > /dev/null 2>&1 || apt-get update -qq
apt-get install -y -qq --no-install-recommends $PACKAGES > /dev/null
`
/** Mails one a line on standard input, \`return path, recipient\`; the server runs until it is killed. */
const SEND = `
echo ready
while read -r from to; do
  printf 'From: news@shop.example\\nTo: %s\\nSubject: Spring\\nMessage-ID: <1.2.x@shop.example>\\n\\nHello\\n' "$to" | send "$from" "$to"
done
sleep infinity
`

export type RunningServer = {
  send(returnPath: string, recipient: string): void
  /** All that it and its installation said. */
  said(): string
  /** Throws once it has ended by itself: nobody waits for what cannot come any more. */
  stillRuns(): void
  stop(): Promise<void>
}

/** Installs and starts a server of Debian that relays to `port`. */
export async function runDebianServer({ packages, script }: DebianServer, port: number): Promise<RunningServer> {
  const { process: server, ...layer } = await inLayer(packages, `${script}${SEND}`, { PORT: String(port) })
  return { ...layer, send: (returnPath, recipient) => void server.stdin!.write(`${returnPath} ${recipient}\n`) }
}

/** Installs programs of Debian and runs commands with them, which may read `input`; what they printed, when they went well. */
export async function runInDebian(
  packages: string,
  script: string,
  { input = '', ...env }: Record<string, string>,
): Promise<string> {
  const { process: running, said, stop } = await inLayer(packages, script, env)
  running.stdin!.end(input)
  try {
    const [code] = await once(running, 'exit')
    if (code !== 0) throw new Error(`it ended with ${code}: ${said()}`)
    return said()
  } finally {
    await stop()
  }
}

/** Installs programs of Debian into a layer of their own, and runs a script in it until `stop`. */
export async function inLayer(packages: string, script: string, env: Record<string, string>) {
  const layer = await mkdtemp(join(tmpdir(), 'postroom-server-'))
  const environment = {
    ...{ PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LANG: 'C.UTF-8', LAYER: layer, PACKAGES: packages, ...env },
    SERVER: `${INSTALL}${script}`,
  }
  const server: ChildProcess = spawn(
    'unshare',
    ['--mount', '--pid', '--fork', '--kill-child', 'bash', '--norc', '-c', LAYER],
    {
      env: environment,
      stdio: ['pipe', 'pipe', 'pipe'],
      cwd: '/',
    },
  )
  let said = ''
  for (const stream of [server.stdout!, server.stderr!]) stream.on('data', (bytes: Buffer) => (said += bytes))
  server.stdin!.on('error', () => undefined)
  const hasEnded = () => server.exitCode !== null || server.signalCode !== null
  return {
    process: server,
    said: () => said,
    stillRuns() {
      if (hasEnded()) throw new Error(`it has ended with ${server.exitCode ?? server.signalCode}`)
    },
    async stop() {
      if (!hasEnded()) {
        server.kill('SIGKILL')
        await once(server, 'exit')
      }
      await rm(layer, { recursive: true, force: true })
    },
  }
}
