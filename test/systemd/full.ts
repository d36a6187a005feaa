import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { until } from '../support/instance.ts'
import { type RunningSystemd, runSystemd, whyNoSystemd } from './run-systemd.ts'

/*
 * The units of ops/systemd under a systemd that runs: installed as README.md says, started, killed, stopped, and looked at from
 * outside. Takes root, namespaces and control groups of version 2; nothing of it is left.
 */

const ROOT = new URL('../..', import.meta.url).pathname
const WITHIN_MS = 120_000
const skip = (await whyNoSystemd()) ?? false
let systemd: RunningSystemd | undefined
after(() => systemd?.stop())

const ENV = `APP_URL=https://mail.example.com
HOST=127.0.0.1
TRUST_PROXY=1
METRICS_ADDR=127.0.0.1:9464
DATA_DIR=/var/lib/postroom-data
BOOTSTRAP_EMAIL=ada@example.com
BOOTSTRAP_WORKSPACE=Example News
`
const POSTROOM = '/opt/postroom/postroom --settings /etc/postroom.env'
const AS_ITS_USER = 'runuser -u postroom --'

/** What systemd knows of the service. */
async function shown(property: string): Promise<string> {
  return systemd!.run('systemctl', 'show', '--value', `--property=${property}`, 'postroom')
}

async function ready(): Promise<void> {
  const isReady = () =>
    systemd!.shell('curl -sf http://127.0.0.1:9464/readyz').then(
      () => true,
      () => false,
    )
  await until('the service is ready', isReady, WITHIN_MS).catch(async (error) => {
    throw new Error(await systemd!.shell('journalctl -u postroom -o cat | tail -30'), { cause: error })
  })
}

test('the units run the service and its backups under systemd, as a user without rights', { skip }, async (t) => {
  systemd = await runSystemd(ROOT)
  const { run, shell } = systemd

  await t.test('it is installed by the lines of the guide, and systemd finds nothing to complain of', async () => {
    await shell('useradd --system --home-dir /var/lib/postroom-data --shell /usr/sbin/nologin postroom')
    await shell(
      `install -o root -g postroom -m 640 /dev/null /etc/postroom.env; cat > /etc/postroom.env <<'END'\n${ENV}END`,
    )
    await shell('cp /opt/postroom/ops/systemd/postroom* /etc/systemd/system/ && systemctl daemon-reload')
    const units = 'postroom.service postroom-backup.service postroom-backup.timer'
    assert.equal(await shell(`systemd-analyze verify ${units} 2>&1 | grep postroom || true`), '')
    await shell('systemctl enable --now postroom postroom-backup.timer')
    await ready()
  })

  await t.test('it has no right but its own directory, and its passwords are nowhere but there', async () => {
    const pid = await shown('MainPID')
    const status = await shell(`cat /proc/${pid}/status`)
    assert.match(status, /^NoNewPrivs:\s+1$/m)
    assert.match(status, /^Seccomp:\s+2$/m)
    for (const set of ['CapPrm', 'CapEff', 'CapBnd', 'CapAmb']) assert.match(status, new RegExp(`^${set}:\\s+0+$`, 'm'))
    assert.equal(await run('stat', '-c', '%U %a', '/var/lib/postroom-data'), 'postroom 700')
    assert.equal(await run('stat', '-c', '%U %a', '/var/lib/postroom-data/credentials.txt'), 'postroom 600')
    const users = await shell('ps -o user= -C postgres | sort -u')
    assert.equal(users, 'postroom', 'the embedded database')
    const log = await run('journalctl', '-u', 'postroom', '-o', 'cat')
    const password = await shell("awk '/^password/ { print $2 }' /var/lib/postroom-data/credentials.txt")
    assert.ok(password.length > 10 && !log.includes(password) && !log.includes('prt_'), log)
    const lines = log.split('\n').filter((line) => line.startsWith('{'))
    assert.ok(lines.some((line) => /is running$/.test(JSON.parse(line).msg)))
  })

  await t.test('kill -9 has it back, and what was answered is there', async () => {
    const token = await shell("awk '/^token/ { print $2 }' /var/lib/postroom-data/credentials.txt")
    const api = `curl -sf -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' http://127.0.0.1:3000/api`
    await shell(`${api}/contacts -d '{"email":"grace@example.com"}'`)
    const before = await shown('MainPID')
    await run('systemctl', 'kill', '--signal=KILL', '--kill-who=main', 'postroom')
    await until('another process', async () => !['0', before].includes(await shown('MainPID')), WITHIN_MS)
    await ready()
    assert.equal(await shown('NRestarts'), '1')
    assert.match(await shell(`${api}/contacts?email=grace@example.com`), /"totalItems":1\b/)
  })

  await t.test('commands work beside it, from any directory, as its user and as root', async () => {
    for (const as of [AS_ITS_USER, '']) assert.match(await shell(`${as} ${POSTROOM} workspace list`), /Example News/)
    await run('systemctl', 'start', 'postroom-backup')
    const kept = await shell('ls /var/lib/postroom-backups')
    assert.match(kept, /^\S+\.backup$/)
    const check = `${AS_ITS_USER} ${POSTROOM} backup --check /var/lib/postroom-backups/${kept}`
    assert.match(await shell(check), /it is whole/)
    assert.match(await run('systemctl', 'list-timers', 'postroom-backup.timer'), /postroom-backup\.service/)
    for (const days of [13, 15])
      await shell(`${AS_ITS_USER} touch -d '${days} days ago' /var/lib/postroom-backups/${days}-days.backup`)
    await run('systemctl', 'start', 'postroom-backup')
    const after = (await shell('ls /var/lib/postroom-backups')).split('\n')
    assert.deepEqual([after.length, after.filter((name) => name.includes('days'))], [3, ['13-days.backup']])
    assert.ok(after.includes(kept), 'two weeks of them are kept')
  })

  await t.test('it stops in order, with everything that it has started', async () => {
    await run('systemctl', 'stop', 'postroom')
    assert.deepEqual([await shown('Result'), await shown('ExecMainStatus')], ['success', '0'])
    assert.match(await run('journalctl', '-u', 'postroom', '-o', 'cat', '-n', '20'), /"msg":"stopped"/)
    assert.equal(await shell('pgrep -u postroom || true'), '')
    // Without the service a command starts the database for the time being, as its user.
    assert.match(await shell(`${AS_ITS_USER} ${POSTROOM} workspace list`), /Example News/)
    await run('systemctl', 'start', 'postroom')
    await ready()
    await run('systemctl', 'restart', 'postroom')
    await ready()
    assert.equal(await shown('NRestarts'), '0')
  })

  await t.test('with one more line it takes returned mail in at port 25', async () => {
    const dropIn =
      '[Service]\\nAmbientCapabilities=CAP_NET_BIND_SERVICE\\nCapabilityBoundingSet=CAP_NET_BIND_SERVICE\\n'
    await shell(`mkdir -p /etc/systemd/system/postroom.service.d
      printf '${dropIn}' > /etc/systemd/system/postroom.service.d/port-25.conf
      printf 'BOUNCE_DOMAIN=bounces.example.com\\nBOUNCE_ADDR=0.0.0.0:25\\nHOST=0.0.0.0\\n' >> /etc/postroom.env
      systemctl daemon-reload && systemctl restart postroom`)
    await ready()
    const client = `exec 3<>/dev/tcp/127.0.0.1/25; head -1 <&3`
    assert.match(await run('bash', '-c', client), /^220 /)
  })
})
