import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { send } from '../test/support/http-client.ts'
import { type Instance, startInstance } from '../test/support/instance.ts'
import { largestBody, UNITS } from '../test/support/largest-body.ts'
import { type DeclaredRoute, declaredRoutes, sampleOf } from '../test/support/route-table.ts'

const MEGABYTE = 1_048_000
const LARGE = 25 * MEGABYTE
const GOAL_MS = 200
const PROBE_EVERY_MS = 10
const SHOWN = 12
/** What most paths need one of: its id is 1. */
const MADE_FIRST = ['Contacts_create', 'Segments_create', 'Templates_create', 'Broadcasts_create', 'Automations_create']

type Call = { what: string; send(): Promise<number> }
type Seen = { request: string; status: number; 'processor ms': number; '/healthz ms': number }

/**
 * The longest that /healthz waits beside the worst requests: to each operation the largest body that its schema lets through,
 * of seven fills, malformed bodies, uploads, 25 MiB at /emails. Beside it stands the time of the processor that the service's own
 * thread used for all of the request, for on a busy machine probes wait for others too.
 */
export async function run(): Promise<void> {
  const instance = await startInstance({ env: { RATE_LIMIT_API: '0', RATE_LIMIT_FAILURES: '0' } })
  try {
    const routes = (await declaredRoutes()).filter(({ surface, body }) => surface === 'api' && body)
    for (const name of MADE_FIRST) {
      const route = routes.find(({ operationId }) => operationId === name)!
      await call(instance, route, JSON.stringify(sampleOf(route.body!)))
    }
    const seen: Seen[] = []
    for (const one of callsOf(instance, routes)) seen.push(await watched(instance, one))
    seen.sort((a, b) => b['/healthz ms'] - a['/healthz ms'])
    console.table(seen.slice(0, SHOWN))
    const beyond = seen.filter((one) => one['/healthz ms'] > GOAL_MS && one['processor ms'] > GOAL_MS)
    console.log(
      `${seen.length} requests; ${beyond.length} held /healthz up for more than ${GOAL_MS} ms by their own work`,
    )
    for (const line of (await instance.metrics()).split('\n'))
      if (/^postroom_event_loop_stall_seconds_(?:count|sum|bucket.*le="0\.2")/.test(line)) console.log(line)
  } finally {
    await instance.stop()
  }
}

const type = { 'content-type': 'application/json' }

async function call(instance: Instance, { method, path }: DeclaredRoute, body: string): Promise<number> {
  const url = instance.baseUrl + path.replaceAll(/\{\w+\}/g, '1')
  return (await send(method, url, { token: instance.token, headers: type, body })).status
}

function* callsOf(instance: Instance, routes: readonly DeclaredRoute[]): Generator<Call> {
  for (const route of routes) {
    for (const unit of UNITS) {
      const body = largestBody(route.body!, { unit, bytesMax: MEGABYTE })
      yield { what: `${route.operationId} of ${JSON.stringify(unit)}`, send: () => call(instance, route, body) }
    }
  }
  const post = (path: string, body: string, headers: Record<string, string> = type) =>
    send('POST', instance.baseUrl + path, { token: instance.token, headers, body }).then(({ status }) => status)
  for (const [what, [unit, ends]] of Object.entries({
    brackets: ['[', ''],
    numbers: ['1,', '1]'],
    'long numbers': ['12345678901234567890,', '1]'],
    names: ['{"a":1,"b":{"c":2}},', '1]'],
    escapes: ['"\\u0061",', '1]'],
    'a string without an end': ['"a', ''],
  } as const)) {
    for (const [path, bytes] of [
      ['/api/events', MEGABYTE],
      ['/api/emails', LARGE],
      ['/site/auth/login', MEGABYTE],
    ] as const)
      yield { what: `${path} of ${what}`, send: () => post(path, `[${unit.repeat(bytes / unit.length)}${ends}`) }
  }
  for (const unit of [...UNITS, '\n', ';', ',,,"'])
    yield {
      what: `upload of ${JSON.stringify(unit)}`,
      send: () =>
        post('/api/contacts/imports?fileName=a.csv', unit.repeat((8 * MEGABYTE) / unit.length), {
          'content-type': 'text/csv',
        }),
    }
}

/** Sends a request while others ask for /healthz; the longest wait among them. */
async function watched(instance: Instance, one: Call): Promise<Seen> {
  let isOver = false
  let longestMs = 0
  const probing = (async () => {
    while (!isOver) {
      const before = performance.now()
      await send('GET', `${instance.baseUrl}/healthz`)
      longestMs = Math.max(longestMs, performance.now() - before)
      await sleep(PROBE_EVERY_MS)
    }
  })()
  const before = await threadMs(instance.pid)
  const status = await one.send().catch(() => 0)
  const used = (await threadMs(instance.pid)) - before
  isOver = true
  await probing
  return { request: one.what, status, 'processor ms': used, '/healthz ms': Math.round(longestMs) }
}

/** Of the process's first thread, in ticks of 10 ms (proc(5)). */
async function threadMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/task/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}
