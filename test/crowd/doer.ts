import { Webhook } from 'standardwebhooks'
import type { Permission } from '../../server/catalogue/permissions.ts'
import type { Call } from '../support/http-client.ts'
import type { Holder } from './rights.ts'
import { type LateAnswer, untilAnswered } from './until-answered.ts'
import { type CrowdWorld, SHOP, type Things } from './world.ts'

/** A request of the storm, and what was said to it. Times of `performance.now()`. */
export type Said = {
  act: string
  method: string
  path: string
  requestId: string
  /** The Idempotency-Key it went under, with others. */
  key: string | undefined
  /** What was sent, and by whom with which right where that is not the owner. */
  sent: unknown
  by: By | undefined
  /** Of one that took effect, and whose answer was lost with the process that had it, 204. */
  status: number
  text: string
  /** How often it broke off before somebody answered: it may have been done by an attempt that nobody answered. */
  cuts: number
  beganAt: number
  endedAt: number
}

/** Somebody whose rights change, and the one that a request of theirs takes. */
export type By = { holder: Holder; needs: Permission }

/** How somebody of the crowd acts: each has random numbers of their own. */
export type Doer = {
  world: CrowdWorld
  random(): number
  pick<T>(from: readonly T[]): T
  /** True in so many of a hundred. */
  chance(percent: number): boolean
  /** Performs an operation of the workspace, through one of the two doors. */
  call(method: string, path: string, json?: unknown, how?: How): Promise<LateAnswer>
  /** Tells the tracker something, as a page does in a browser. */
  collect(path: string, json: object): Promise<LateAnswer>
  /** Has the agent use one of its tools; undefined where it is refused, as what is gone is. */
  useTool(tool: string, input: object): Promise<Record<string, unknown> | undefined>
  /** Tells of mail that came back, as a relay does, so many times at once under one id. */
  feedBack(events: readonly object[], times: number): Promise<void>
  /** Accepts an invitation as the person whom it is for. */
  accept(whose: Holder, token: string): Promise<LateAnswer>
  /** Visits a page that readers of mail see. */
  visit(method: string, path: string): Promise<LateAnswer>
}

/** Through one door alone, where the other has no such act; and as somebody whose rights change, who has one door. */
export type How = { door?: 'api' | 'site'; as?: By; token?: string }

/** Refusals that racing others may bring: gone, in the way of another, not (any more) fitting. */
const REFUSALS = new Set([404, 409, 412, 422, 429])
/** The same in the words of tools. */
const REFUSALS_OF_TOOLS = new Set([
  ...['not-found', 'conflict', 'in-use', 'wrong-status', 'plan-changed', 'limit-reached', 'request-in-flight'],
  ...['unprocessable', 'idempotent-answer-lost', 'too-many-requests'],
])
/** A time to come that is past when it arrives, on a slow machine. */
const IS_PAST = /must be (a time to come|in the future)/
/** Beside them, of somebody whose rights change. */
const REFUSALS_OF_RIGHTS = new Set([401, 403])
/** Of a path's first part that stands for some of the few things. */
const KINDS: Record<string, keyof Things> = {
  ...{ contacts: 'people', segments: 'segments', topics: 'topics', tags: 'tags', automations: 'automations' },
  ...{ broadcasts: 'broadcasts', forms: 'forms', webhooks: 'endpoints', imports: 'imports', 'bulk-acts': 'bulkActs' },
  ...{ exports: 'exports', templates: 'templates', 'sending-domains': 'domains', integrations: 'servers' },
  'custom-fields': 'fields',
}
/** It took effect, and its answer was lost. */
const LOST = 'idempotent-answer-lost'
/** Of a hundred POSTs so many are sent twice at once under one key, and once more behind. */
const TWINS_PERCENT = 10

const headersOf = ({ collectKey }: CrowdWorld) => ({
  ...{
    'x-collect-key': collectKey,
    origin: SHOP,
    'user-agent': BROWSER,
    'sec-fetch-mode': 'cors',
    'sec-fetch-site': 'cross-site',
  },
})
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0'

export type Tally = { said: Said[]; faults: string[]; act: string }

export function createDoer(
  world: CrowdWorld,
  random: () => number,
  { name, tally }: { name: string; tally: Tally },
): Doer {
  let count = 0
  const pick = <T>(from: readonly T[]) => from[Math.floor(random() * from.length)]!
  const chance = (percent: number) => random() * 100 < percent

  /** What is gone is acted on no more, but by whoever has its id already. */
  function forget(url: string): void {
    const [, path = '', id = ''] = /\/([a-z-]+)\/(\d+)/.exec(url) ?? []
    const kind = KINDS[path]
    const at = kind === undefined ? -1 : world.things[kind].indexOf(id)
    if (at !== -1) world.things[kind!].splice(at, 1)
  }

  type Once = { call: Call; key?: string | undefined; by?: By | undefined }
  async function once(method: string, url: string, { call, key, by }: Once) {
    count += 1
    const requestId = `${name}.${count}`
    const { act } = tally
    const headers = {
      ...call.headers,
      'x-request-id': requestId,
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    }
    const beganAt = performance.now()
    const answer = await untilAnswered(method, world.baseUrl + url, { ...call, headers })
    const { status, text, cuts } = answer
    const isLost = answer.json?.code === LOST
    const times = { beganAt, endedAt: performance.now() }
    const heard = isLost ? { status: 204, text: '' } : { status, text }
    tally.said.push({ act, method, path: url, requestId, key, sent: call.json, by, cuts, ...heard, ...times })
    if (cuts > 0 && !world.cutsRequests) tally.faults.push(`${act}: ${method} ${url} was not answered`)
    // To somebody who is no member nothing is there.
    if (by === undefined && (status === 404 || (method === 'DELETE' && /\d$/.test(url)))) forget(url)
    const isLate = status === 400 && IS_PAST.test(text)
    const isRefusal = isLate || REFUSALS.has(status) || (by !== undefined && REFUSALS_OF_RIGHTS.has(status))
    if (status >= 400 && !isRefusal)
      tally.faults.push(`${act}: ${method} ${url} ${status} ${text} ${JSON.stringify(call.json)}`)
    return answer
  }

  return {
    ...{ world, random, pick, chance },
    async call(method, path, json, { door, as: by, token = world.token } = {}) {
      const through = by?.holder.door ?? door
      const isSite = through === 'site' || (through === undefined && chance(40))
      const url = (isSite ? '/site/workspaces/default' : '/api') + path
      const own = isSite ? { headers: { origin: world.baseUrl, cookie: world.cookie } } : { token }
      const login = by?.holder.login ?? own
      const call: Call = { ...login, ...(json === undefined ? {} : { json }) }
      const key = `${name}.key.${count}`
      const isTwin = method === 'POST' && chance(TWINS_PERCENT)
      if (!isTwin) return once(method, url, { call, by, ...(method === 'POST' && world.cutsRequests ? { key } : {}) })
      const [first, second] = await Promise.all([
        once(method, url, { call, key, by }),
        once(method, url, { call, key, by }),
      ])
      const again = await once(method, url, { call, key, by })
      const done = [first, second, again].filter(({ status }) => status < 300)
      const said = new Set(done.map((one) => one.text))
      if (said.size > 1)
        tally.faults.push(`${tally.act}: POST ${url} said two things under one key: ${[...said].join(' | ')}`)
      return done[0] ?? again
    },
    collect: (path, json) => once('POST', `/collect${path}`, { call: { headers: headersOf(world), json } }),
    async useTool(tool, input) {
      const params = { name: tool, arguments: input }
      const json = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
      const answer = await once('POST', '/mcp', { call: { token: world.agent, json } })
      const { result } = answer.json ?? {}
      if (result?.isError === false || (result !== undefined && result.isError === undefined))
        return result.structuredContent
      const { code } = JSON.parse(result?.content?.[0]?.text ?? '{}')
      if (!REFUSALS_OF_TOOLS.has(code)) tally.faults.push(`${tally.act}: ${answer.text} ${JSON.stringify(json)}`)
      return undefined
    },
    async feedBack(events, times) {
      const { path, secret } = world.feedback
      const [id, at, body] = [`${name}-told-${count}`, new Date(), JSON.stringify({ events })]
      const headers = {
        ...{ 'content-type': 'application/json', 'webhook-id': id },
        'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
        'webhook-signature': new Webhook(secret).sign(id, at, body),
      }
      await Promise.all(Array.from({ length: times }, () => once('POST', path, { call: { headers, body } })))
    },
    accept: ({ login }, token) => once('POST', `/site/invitations/${token}`, { call: { ...login, json: {} } }),
    visit: (method, path) => once(method, path, { call: {} }),
  }
}
