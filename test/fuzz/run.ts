import fc from 'fast-check'
import { conformityTo, type Document, dereferenced, describedApi, operationsOf } from '../contract/described-api.ts'
import { startDnsAuthority } from '../support/dns-authority.ts'
import { type Answer, type Call, send } from '../support/http-client.ts'
import { NO_PATIENCE } from '../support/patience.ts'
import { siteCaller } from '../support/site-caller.ts'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'
import { type Caller, type FuzzRequest, requestsTo } from './requests.ts'
import { createSeenIds, type SeenIds } from './seen-ids.ts'

/** Longest any answer may take. */
const ANSWER_MS_MAX = 2_000
const TRIES_ALONE_MAX = 10
const CONNECTIONS = 8
/** Requests generated at once; each chunk has a seed of its own, so that a fault is found again without what went before. */
const CHUNK = 256
const FAULTS_MAX = 40
const PART_CHARS_MAX = 300

/** An operation that is late by its nature, for it waits for a mail, and those after which who asks may ask for nothing more. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...['Mailbox_wait', 'SiteAuth_logout', 'SiteSessions_end', 'SiteMembers_leave'],
])

/** Text that no answer may contain: statements, stacks, paths and the machinery behind the service. */
const INTERNALS =
  /node_modules|file:\/\/|\bat \S+ \(|\.ts:\d+|\/root\/|syntax error at|violates \w+ constraint|\brelation "|\bcolumn "|pg_\w+|postgres|SQLSTATE|ECONNREFUSED/i

/** `site`: the operations of the dashboard that the management API does not have. */
export type Surface = 'api' | 'site'

export type FuzzOptions = {
  seed: number
  surface?: Surface
  requests: number
  /** Asked now and then; true ends it before all requests are sent. */
  isEnough?: (so: FuzzResult) => boolean
  report: (line: string) => void
}
export type FuzzResult = {
  sent: number
  /** Answers by operation and status. */
  answers: Map<string, Map<number, number>>
  /** Faults found, once for each operation and kind, with the request to repeat it. */
  faults: string[]
  slowestMs: number
  /** Requests that were sent again alone, since their answer had come late or not at all. */
  overloads: number
}

type Run = {
  instance: TestedInstance
  /** What shows who each caller is. */
  shown: Record<Caller, Call>
  seen: SeenIds
  check: (request: FuzzRequest, answer: Answer) => void
  result: FuzzResult
  faults: Map<string, string>
}

/** Sends random requests to every operation that the service describes, in turn, and holds each answer to its description. */
export async function fuzz(options: FuzzOptions): Promise<FuzzResult> {
  const { seed, surface = 'api', requests, isEnough = () => false, report } = options
  const dns = await startDnsAuthority()
  const instance = await startTestedInstance({ DNS_SERVERS: dns.server, WEBHOOK_ALLOW_NETWORKS: '', ...NO_PATIENCE })
  try {
    const { operations, document, shown } = await (surface === 'api' ? managementApi : dashboard)(instance)
    const conforms = conformityTo(document)
    const kept = await instance.sql<{ id: string }>('select id from api_tokens union select id from users')
    const run: Run = {
      instance,
      shown,
      seen: createSeenIds(new Set(kept.map(({ id }) => id))),
      check: (request, answer) => {
        if (answer.status >= 500) throw new Error(`answered ${answer.status}: ${logLineOf(instance, answer)}`)
        conforms(request.operation, answer)
        if (answer.status >= 400 && INTERNALS.test(answer.text)) throw new Error(`tells internals: ${answer.text}`)
      },
      result: { sent: 0, answers: new Map(), faults: [], slowestMs: 0, overloads: 0 },
      faults: new Map(),
    }
    const arbitraries = operations.filter(({ operationId }) => !LEFT_OUT.has(operationId)).map(requestsTo)
    const request = fc.noBias(fc.nat({ max: arbitraries.length - 1 })).chain((n) => arbitraries[n]!)
    const goesOn = () => run.result.sent < requests && run.faults.size < FAULTS_MAX && !isEnough(run.result)
    for (let chunk = 0; goesOn(); chunk++) {
      await sendAll(
        run,
        fc.sample(request, { seed: seed + chunk, numRuns: Math.min(CHUNK, requests - run.result.sent) }),
      )
      if (chunk % 100 === 99) report(`${run.result.sent} requests, ${run.faults.size} faults`)
    }
    return { ...run.result, faults: [...run.faults.values()] }
  } finally {
    await instance.close()
    await dns.close()
  }
}

async function managementApi(instance: TestedInstance) {
  const { document, operations } = await describedApi(instance)
  const shown: Run['shown'] = {
    full: { token: await instance.makeToken() },
    foreign: { token: await instance.makeToken(undefined, await instance.makeWorkspace('foreign')) },
    reader: { token: await instance.makeToken(['contacts:read']) },
    garbage: { token: 'prt_000000000000_0000000000000000000000000000000000000000000000' },
    none: {},
  }
  return { document, operations, shown }
}

async function dashboard(instance: TestedInstance) {
  const site = siteCaller(instance)
  const loggedIn = async (name: string, role: string, workspaceId?: string): Promise<Call> => {
    const { cookie } = await site.person(name, role, workspaceId)
    return { headers: { cookie, origin: instance.baseUrl } }
  }
  const shown: Run['shown'] = {
    full: await loggedIn('full', 'owner'),
    foreign: await loggedIn('foreign', 'owner', await instance.makeWorkspace('foreign')),
    reader: await loggedIn('reader', 'viewer'),
    garbage: { headers: { cookie: 'postroom_session=garbage', origin: instance.baseUrl } },
    none: { headers: { origin: instance.baseUrl } },
  }
  const document = (await send('GET', `${instance.baseUrl}/site/openapi.json`, shown.full)).json as Document
  const twins = new Set((await describedApi(instance)).operations.map(({ operationId }) => `Site${operationId}`))
  const operations = operationsOf(dereferenced(document)).filter(({ operationId }) => !twins.has(operationId))
  return { document, operations, shown }
}

async function sendAll(run: Run, requests: readonly FuzzRequest[]): Promise<void> {
  const waiting = [...requests]
  const late: FuzzRequest[] = []
  const work = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      if (!(await sendOne(run, next, { last: false }))) late.push(next)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, work))
  // On a busy machine an answer may be late because of everything else: what is always late, and alone, is at fault.
  for (const request of late) {
    for (let tries = 1; tries <= TRIES_ALONE_MAX; tries++) {
      run.result.overloads++
      if (await sendOne(run, request, { last: tries === TRIES_ALONE_MAX })) break
    }
  }
}

/** False when the answer was late or a 503 and is to be asked for again, which the last one is not. */
async function sendOne(run: Run, request: FuzzRequest, { last }: { last: boolean }): Promise<boolean> {
  const { result, seen, faults } = run
  const { method, url, call } = concrete(run, request)
  const startedMs = performance.now()
  let answer: Answer | undefined
  let wrong: string | undefined
  try {
    answer = await send(method, url, call)
    const tookMs = performance.now() - startedMs
    if (!last && (tookMs > ANSWER_MS_MAX || answer.status === 503)) return false
    result.slowestMs = Math.max(result.slowestMs, tookMs)
    if (tookMs > ANSWER_MS_MAX) throw new Error(`took ${Math.round(tookMs)} ms`)
    run.check(request, answer)
    seen.learn(request, answer)
  } catch (error) {
    wrong = (error as Error).message
  }
  result.sent++
  const { operationId } = request.operation
  const statuses = result.answers.get(operationId) ?? new Map<number, number>()
  statuses.set(answer?.status ?? 0, (statuses.get(answer?.status ?? 0) ?? 0) + 1)
  result.answers.set(operationId, statuses)
  if (wrong === undefined) return true
  const kind = `${operationId} ${answer?.status} ${wrong.replaceAll(/"[^"]*"|\d+|https?:\S+/g, '').slice(0, 60)}`
  if (!faults.has(kind)) {
    const sent = `${method} ${url} ${JSON.stringify(call.headers)} ${String(call.body ?? JSON.stringify(call.json) ?? '')}`
    faults.set(kind, `${operationId}: ${wrong.slice(0, 800)}\n  ${sent.slice(0, 500)}`)
  }
  return true
}

/** The line that the service logged about an answer that says nothing of its cause. */
function logLineOf(instance: TestedInstance, { json, text }: Answer): string {
  const lines = instance.output().split('\n')
  return lines.find((line) => line.includes(json?.requestId) && line.includes('"err"')) ?? text
}

/** The request as it is sent now, with ids that were seen so far. */
function concrete({ instance, shown, seen }: Run, request: FuzzRequest) {
  const { operation, path, query, body } = request
  let index = 0
  const filled = operation.path.replace('{slug}', 'default').replaceAll(/([a-z-]+)\/\{\w+\}/g, (_, parent: string) => {
    const value = path[index++]!
    const text = 'text' in value ? value.text : seen.pick(value.of, parent, value.known)
    return `${parent}/${asPart(text)}`
  })
  const search = query.map((pair) => pair.map(asPart).join('=')).join('&')
  const { headers: own, ...caller } = shown[request.caller]
  const type = body !== undefined && 'raw' in body ? body.type : undefined
  const call: Call = {
    ...caller,
    headers: { ...own, ...request.headers, ...(type === undefined ? {} : { 'content-type': type }) },
    ...(body === undefined ? {} : 'json' in body ? { json: body.json } : { body: Buffer.from(body.raw as string) }),
  }
  const url = `${instance.baseUrl}${filled}${search === '' ? '' : `?${search}`}`
  return { method: operation.method, url, call }
}

/** Short enough that no address is refused for its length alone, before it is known what it is about. */
function asPart(text: string): string {
  return encodeURIComponent(text.slice(0, PART_CHARS_MAX).toWellFormed())
}
