import { execFile } from 'node:child_process'
import { readdir, readFile, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inLayer, whyNoServers } from '../servers/run-debian-server.ts'
import { until } from '../support/instance.ts'

/*
 * systemd as the first process of namespaces of its own, over a layer that is gone with the test: its units are the machine's
 * packages, its network is a loopback of its own, its control groups are below one of the second version that is made for it.
 */

const BOOTED_WITHIN_MS = 240_000
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024
const execute = promisify(execFile)

/** Mounted in the layer, where the machine's own are not. */
const SCRIPT = `
mount -t sysfs sysfs /sys
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mkdir -p "/sys/fs/cgroup/$GROUP" /opt/postroom
echo $$ > "/sys/fs/cgroup/$GROUP/cgroup.procs"
mount --bind "$CHECKOUT" /opt/postroom
mount -o remount,bind,ro /opt/postroom
rm -f /etc/postroom.env /etc/machine-id
# Of what a machine starts, that which it has no use for here.
for unit in getty.target systemd-networkd.service systemd-resolved.service apt-daily.timer apt-daily-upgrade.timer; do
  ln -sf /dev/null "/etc/systemd/system/$unit"
done
exec unshare --cgroup --pid --mount --net --ipc --uts --fork --kill-child --propagation private bash --norc -c '
  umount /sys/fs/cgroup && mount -t cgroup2 cgroup2 /sys/fs/cgroup
  mount -t proc proc /proc && mount -t tmpfs tmpfs /run && mount -t tmpfs tmpfs /tmp
  ip link set lo up
  unset CHECKOUT LAYER PACKAGES SERVER GROUP
  container=postroom-test exec /lib/systemd/systemd --system --unit=basic.target --log-target=journal'
`

/** Why this machine cannot run systemd beside what it runs; undefined where it can. */
export async function whyNoSystemd(): Promise<string | undefined> {
  return whyNoServers() ?? ((await groupsOf()) === undefined ? 'there are no control groups of version 2' : undefined)
}

/** Where the second version of control groups is mounted. */
async function groupsOf(): Promise<string | undefined> {
  const mounts = await readFile('/proc/self/mounts', 'utf8').catch(() => '')
  return /^\S+ (\S+) cgroup2 /m.exec(mounts)?.[1]
}

export type RunningSystemd = {
  /** Runs a command under it, as root; what it printed. Throws with its words when it fails. */
  run(...command: string[]): Promise<string>
  /** The same for a line of a shell. */
  shell(line: string): Promise<string>
  stop(): Promise<void>
}

/** Boots it with a checkout in /opt/postroom that nobody can write to. */
export async function runSystemd(checkout: string): Promise<RunningSystemd> {
  const group = `postroom-systemd-${process.pid}`
  const layer = await inLayer('systemd iproute2 curl procps', SCRIPT, { CHECKOUT: checkout, GROUP: group })
  const stop = async () => {
    await layer.stop()
    await removeGroups(join((await groupsOf())!, group))
  }
  try {
    let first: number | undefined
    const isUp = async () => {
      layer.stillRuns()
      first = await systemdBelow(layer.process.pid!)
      return first !== undefined
    }
    await until('systemd', isUp, BOOTED_WITHIN_MS)
    const enter = ['--target', String(first), '--all', '--root', 'env', '-i', '-C', '/', 'LANG=C.UTF-8', `PATH=${PATH}`]
    const run = async (...command: string[]) => {
      const { stdout } = await execute('nsenter', [...enter, ...command], { maxBuffer: OUTPUT_BYTES_MAX })
      return stdout.trim()
    }
    const state = () => run('systemctl', 'is-system-running').catch((error) => (error as { stdout: string }).stdout)
    await until('its basic units', async () => /^(running|degraded)/.test(await state()), BOOTED_WITHIN_MS)
    return { run, shell: (line) => run('sh', '-c', line), stop }
  } catch (error) {
    await stop()
    throw new Error(layer.said().slice(-4_000), { cause: error })
  }
}

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** The first process of its namespace, by its number in ours. */
async function systemdBelow(pid: number): Promise<number | undefined> {
  const name = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')
  if (name.trim() === 'systemd') return pid
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  for (const child of children.trim().split(' ').filter(Boolean)) {
    const found = await systemdBelow(Number(child))
    if (found !== undefined) return found
  }
  return undefined
}

async function removeGroups(path: string): Promise<void> {
  const inner = await readdir(path, { withFileTypes: true }).catch(() => [])
  for (const entry of inner) if (entry.isDirectory()) await removeGroups(join(path, entry.name))
  await rmdir(path).catch(() => undefined)
}
