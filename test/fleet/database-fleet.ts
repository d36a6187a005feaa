import { inLayer } from '../servers/run-debian-server.ts'
import { freePort, until } from '../support/instance.ts'

/*
 * Three PostgreSQL servers under Patroni and etcd, with strict synchronous replication, and haproxy before them: Debian's, in a
 * layer over the machine's files and in namespaces of their own, so that all of it is gone with the run. Everything listens on
 * loopback.
 */

const PACKAGES = 'postgresql patroni etcd-server haproxy'
export const NODES = ['n1', 'n2', 'n3'] as const
export type Node = (typeof NODES)[number]
/** Programs are fetched, three clusters are made. */
const STARTED_WITHIN_MS = 240_000
const CHANGED_WITHIN_MS = 90_000

type Followers = readonly { state: string; sync_state: string }[]
type Status = { state?: string; role?: string; replication?: Followers }
type NodePorts = { rest: number; postgres: number }

export type DatabaseFleet = {
  /** Leads to the primary through haproxy. */
  url: string
  /** Leads to a process that serves requests through haproxy. */
  webUrl: string
  /** The node that leads, once there is one; another than the given one. */
  primary(than?: Node): Promise<Node>
  switchover(): Promise<void>
  /** `kill -9` of a node, its PostgreSQL and its Patroni. */
  kill(node: Node): Promise<void>
  start(node: Node): Promise<void>
  /** Waits until one node leads and all others follow it. */
  settled(): Promise<void>
  stop(): Promise<void>
}

/** `webPorts`: of the processes that serve requests, with `/readyz`. */
export async function startDatabaseFleet(webPorts: readonly number[]): Promise<DatabaseFleet> {
  const ports = new Map<Node, NodePorts>()
  for (const node of NODES) ports.set(node, { rest: await freePort(), postgres: await freePort() })
  const [etcd, peers, proxy, web] = [await freePort(), await freePort(), await freePort(), await freePort()]
  const files = {
    ...Object.fromEntries([...ports].map(([node, own]) => [`${node}.yml`, patroniOf(node, own, etcd)])),
    'haproxy.cfg': haproxyOf([...ports.values()], { proxy, web, webPorts }),
  }
  const {
    process: layer,
    said,
    stillRuns,
    stop,
  } = await inLayer(PACKAGES, SCRIPT, {
    ETCD: String(etcd),
    PEERS: String(peers),
    FILES: Buffer.from(JSON.stringify(files)).toString('base64'),
  })
  let asked = 0
  /** Resolves when the script has done it. */
  async function tell(...words: string[]): Promise<void> {
    const number = ++asked
    layer.stdin!.write(`${number} ${words.join(' ')}\n`)
    await until(words.join(' '), async () => said().includes(`did ${number}\n`), CHANGED_WITHIN_MS)
  }
  async function statusOf(node: Node): Promise<Status | undefined> {
    const url = `http://127.0.0.1:${ports.get(node)!.rest}/patroni`
    // One that is dying may begin to answer, and not end.
    const answer = fetch(url, { signal: AbortSignal.timeout(2_000) }).then((begun) => begun.json())
    return (await answer.catch(() => undefined)) as Status | undefined
  }
  /** The node that says so itself: what the others know of it may be old. */
  async function leader(): Promise<{ node: Node; followers: Followers } | undefined> {
    for (const node of NODES) {
      const { state, role, replication = [] } = (await statusOf(node)) ?? {}
      if (state === 'running' && /^(master|primary)$/.test(role ?? '')) return { node, followers: replication }
    }
    return undefined
  }
  const fleet: DatabaseFleet = {
    url: `postgres://postgres:fleet@127.0.0.1:${proxy}/postroom`,
    webUrl: `http://127.0.0.1:${web}`,
    async primary(than) {
      let found: Node | undefined
      const isThere = async () => {
        found = (await leader())?.node
        return found !== undefined && found !== than
      }
      await until('a primary', isThere, CHANGED_WITHIN_MS)
      return found!
    },
    async switchover() {
      const from = await fleet.primary()
      const { rest } = ports.get(from)!
      const answer = await fetch(`http://127.0.0.1:${rest}/switchover`, {
        method: 'POST',
        body: JSON.stringify({ leader: from }),
      })
      if (!answer.ok) throw new Error(`the switchover was refused: ${await answer.text()}`)
      await fleet.primary(from)
    },
    kill: (node) => tell('kill', node),
    start: (node) => tell('start', node),
    async settled() {
      const isSettled = async () => {
        const { followers = [] } = (await leader()) ?? {}
        const follow = followers.filter(({ state }) => state === 'streaming')
        return follow.length === NODES.length - 1 && follow.some((one) => one.sync_state === 'sync')
      }
      await until('one primary and its standbys', isSettled, STARTED_WITHIN_MS)
    },
    stop,
  }
  try {
    const isReady = async () => {
      stillRuns()
      return said().includes('ready\n')
    }
    await until('the programs of Debian', isReady, STARTED_WITHIN_MS)
    for (const node of NODES) {
      await fleet.start(node)
      // The first makes the cluster, the others copy it.
      if (node === 'n1') await fleet.primary()
    }
    await fleet.settled()
    await tell('database', String(ports.get(await fleet.primary())!.postgres))
    return fleet
  } catch (error) {
    await stop()
    throw new Error(said().slice(-4_000), { cause: error })
  }
}

/** Each line of its input is a number and what to do; it says when it has. It ends processes by the ids it started them under. */
const SCRIPT = `
mkdir -p /fleet && cd /fleet
python3 -c 'import base64, json, os
for name, text in json.loads(base64.b64decode(os.environ["FILES"])).items(): open(name, "w").write(text)'
unset FILES
chown -R postgres /fleet
as_postgres() { exec setpriv --reuid postgres --regid postgres --clear-groups env HOME=/fleet PATH="/usr/lib/postgresql/15/bin:$PATH" "$@"; }
etcd --data-dir /fleet/etcd --listen-client-urls "http://127.0.0.1:$ETCD" --advertise-client-urls "http://127.0.0.1:$ETCD" \\
  --listen-peer-urls "http://127.0.0.1:$PEERS" --initial-advertise-peer-urls "http://127.0.0.1:$PEERS" \\
  --initial-cluster "default=http://127.0.0.1:$PEERS" > etcd.log 2>&1 &
haproxy -f haproxy.cfg > haproxy.log 2>&1 &
echo ready
while read -r number verb what; do
  case "$verb" in
    start) (as_postgres patroni "/fleet/$what.yml") > "$what.log" 2>&1 & echo $! > "$what.pid" ;;
    kill) kill -9 "$(cat "$what.pid")" "$(head -1 "$what/postmaster.pid")" ;;
    database) PGPASSWORD=fleet psql -q -h 127.0.0.1 -p "$what" -U postgres -c 'create database postroom' postgres ;;
  esac
  echo "did $number"
done
`

function patroniOf(node: Node, { rest, postgres }: NodePorts, etcd: number): string {
  return JSON.stringify({
    scope: 'postroom',
    name: node,
    restapi: { listen: `127.0.0.1:${rest}`, connect_address: `127.0.0.1:${rest}` },
    etcd3: { hosts: `127.0.0.1:${etcd}` },
    bootstrap: {
      dcs: {
        ttl: 20,
        loop_wait: 2,
        retry_timeout: 4,
        maximum_lag_on_failover: 16_777_216,
        // A server that crashed is not started again where it was: another one leads.
        primary_start_timeout: 0,
        master_start_timeout: 0,
        synchronous_mode: true,
        synchronous_mode_strict: true,
        postgresql: {
          use_pg_rewind: true,
          parameters: { max_connections: 300, shared_buffers: '64MB', wal_keep_size: '256MB', wal_log_hints: 'on' },
        },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }],
      pg_hba: ['host all all 127.0.0.1/32 md5', 'host replication all 127.0.0.1/32 md5'],
    },
    postgresql: {
      listen: `127.0.0.1:${postgres}`,
      connect_address: `127.0.0.1:${postgres}`,
      data_dir: `/fleet/${node}`,
      bin_dir: '/usr/lib/postgresql/15/bin',
      pgpass: `/fleet/${node}.pass`,
      authentication: {
        superuser: { username: 'postgres', password: 'fleet' },
        replication: { username: 'replicator', password: 'fleet' },
      },
      parameters: { unix_socket_directories: '/fleet' },
    },
  })
}

type Proxied = { proxy: number; web: number; webPorts: readonly number[] }

function haproxyOf(nodes: readonly NodePorts[], { proxy, web, webPorts }: Proxied): string {
  const servers = nodes.map(({ rest, postgres }, n) => `  server n${n + 1} 127.0.0.1:${postgres} check port ${rest}`)
  const webs = webPorts.map((port, n) => `  server web${n + 1} 127.0.0.1:${port} check`)
  return [
    'global',
    '  maxconn 4000',
    'defaults',
    '  timeout connect 2s',
    '  timeout client 5m',
    '  timeout server 5m',
    'listen postgres',
    '  mode tcp',
    `  bind 127.0.0.1:${proxy}`,
    '  option httpchk OPTIONS /primary',
    '  http-check expect status 200',
    '  default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions',
    ...servers,
    'listen web',
    '  mode http',
    `  bind 127.0.0.1:${web}`,
    '  option httpchk GET /readyz',
    '  option redispatch',
    '  retries 1',
    '  default-server inter 500ms fall 2 rise 1',
    ...webs,
    '',
  ].join('\n')
}
