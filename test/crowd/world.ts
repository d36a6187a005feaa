import { createHmac } from 'node:crypto'
import type { Role } from '../../server/modules/auth/roles.ts'
import { send } from '../support/http-client.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { cookieOf, type Person, siteCaller } from '../support/site-caller.ts'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'
import { type Hardships, moodOf } from './hardships.ts'
import { type MailSink, startMailSink } from './mail-sink.ts'
import { type Holder, holder, mayOf } from './rights.ts'

/** Addresses that the crowd fights over. */
export const ADDRESSES = Array.from({ length: 6 }, (_, n) => `p${n + 1}@crowd.example`)
export const SUBJECTS = ['u1', 'u2', 'u3', 'u4', 'u5', 'u6']
export const TAGS = ['red', 'green', 'blue']
export const CAME = 'crowd.came'
export const BOUGHT = 'crowd.bought'
export const NOISE = 'crowd.noise'
export const VIEW = 'crowd.view'
export const STAY = 'crowd.stays'
/** Addresses of people whom nobody erases, and who become one another. */
export const LINKED = ['linked0@crowd.example', 'linked1@crowd.example', 'linked2@crowd.example']
/** Where the pages are that the crowd visits. */
export const SHOP = 'https://shop.example'
/** Of one address come all of the crowd. */
const COLLECT_LIMITS = {
  RATE_LIMIT_COLLECT: '1000000',
  RATE_LIMIT_COLLECT_IP: '1000000',
  RATE_LIMIT_IDENTIFY: '1000000',
}

/** The few things that everybody acts on, by the ids they had last: they may be gone already. */
export type Things = {
  people: string[]
  segments: string[]
  topics: string[]
  tags: string[]
  automations: string[]
  broadcasts: string[]
  forms: string[]
  endpoints: string[]
  imports: string[]
  bulkActs: string[]
  emails: string[]
  fields: string[]
  /** Broadcasts that go out by an approval alone. */
  asked: string[]
  exports: string[]
  /** Templates of letters, the domain that some of them are sent from, and a mail server beside the one that stays. */
  templates: string[]
  domains: string[]
  servers: string[]
}

export type CrowdWorld = {
  instance: TestedInstance
  /** Processes that are killed, where any are. */
  killed: 'workers' | 'web'
  /** Requests may break off: the process that answers is killed. */
  cutsRequests: boolean
  baseUrl: string
  token: string
  cookie: string
  sink: MailSink
  /** Gets everything, from the beginning to the end: nobody touches its endpoint. */
  witness: Receiver
  witnessId: string
  /** What the endpoints that the crowd has get. */
  receiver: Receiver
  things: Things
  integrationId: string
  /** The mail server, as its integrations have it. */
  server: object
  /** Whose rights the crowd changes: people, and tokens that were made meanwhile. */
  members: Holder[]
  tokens: Holder[]
  /** The token that asks, with its id, and the template that it asks to mail. */
  agent: string
  agentId: string
  templateId: string
  /** When waiting for what is late was given up, and it had its time at once. */
  hurriedAt: number
  /** Files of exports that were downloaded, by the id of the export. */
  exported: Map<string, string>
  /** Names of what agents have made: each is there once. */
  made: { tool: string; name: string }[]
  /** Client ids of events about nobody whose recording was answered. */
  recorded: string[]
  /** Key of the tracker of the pages that the crowd visits, and how many of their events about nobody were taken. */
  collectKey: string
  /** A token of the shop, which says who a visitor is. */
  sign(claims: object): string
  viewed: { events: number; ofLinked: number }
  /** Where relays tell of mail that came back, and the secret that they sign with. */
  feedback: { path: string; secret: string }
  close(): Promise<void>
}

/** Whether and when somebody comes in again. */
export const MODES = ['restart', 'restart', 'every', 'after_end', 'once'] as const
export const definition = (tag: string, seconds = 1, mode: (typeof MODES)[number] = 'restart') => ({
  format: 1,
  class: 'marketing',
  enter: { on: [{ event: CAME }, { manual: true }], again: { mode } },
  exit: [{ event: BOUGHT }],
  goal: { event: BOUGHT, value: 'total' },
  start: 'rest',
  nodes: {
    rest: { type: 'delay', seconds, to: 'mail' },
    mail: {
      ...{ type: 'email', subject: 'You came', to: 'mark' },
      body: '<p>Hello. <a href="https://shop.example/">Look</a> <a href="{{ unsubscribe_url }}">Out</a></p>',
    },
    mark: { type: 'tag', add: [tag], to: 'end' },
  },
})

export const ASKED_BODY =
  '<p>Hello. <a href="https://shop.example/">Look</a> <a href="{{ unsubscribe_url }}">Out</a></p>'
/** People whom no act is about: an audience of these and the others stays nearly as large as it is. */
const STEADY = 40
const SOON_MS = 1_000
export const soon = (factor = 1) => new Date(Date.now() + factor * SOON_MS).toISOString()

const tagRule = (value: string) =>
  JSON.stringify({ combinator: 'and', rules: [{ field: 'tag', operator: 'has', value }] })
export const FORM = {
  ...{ name: 'Footer', consentWording: 'We write once a month.', challenge: 'off', fields: [{ field: 'email' }] },
  tags: [TAGS[0]],
}

/** So many at once on one row wait for each other, on a machine that does other things too: what is late is no fault here. */
const PATIENT = { POSTROOM_PATIENCE: process.env.POSTROOM_PATIENCE ?? '60' }

/** One process has all in it; of several those that work are others than the one that answers. */
const { CROWD_PROCESSES } = process.env
const PROCESSES = CROWD_PROCESSES === undefined ? {} : { PROCESSES: CROWD_PROCESSES }

function memberOf({ id, email, name, password, cookie }: Person, role: Role): Holder {
  return holder({ name, id, email, password, door: 'site', login: { headers: { cookie } }, may: mayOf(role) })
}

/** Signs who somebody is, as the server of a shop does (RFC 7519). */
function signerOf({ kid, secret }: { kid: string; secret: string }, aud: string) {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return (claims: object) => {
    const iat = Math.floor(Date.now() / 1_000)
    const body = `${part({ alg: 'HS256', typ: 'JWT', kid })}.${part({ aud, iat, exp: iat + 3_600, ...claims })}`
    return `${body}.${createHmac('sha256', secret).update(body).digest('base64url')}`
  }
}

const AGENT_SCOPES = [
  ...['mcp:send', 'approvals:read', 'broadcasts:read', 'broadcasts:write', 'broadcasts:send', 'emails:send'],
  ...['automations:activate', 'contacts:read', 'contacts:write', 'segments:write', 'templates:write'],
]

/** A running service with a verified sender, two receivers, and the things in place. */
export async function openCrowdWorld(
  { actsPerKill, killed = 'workers', moods }: Hardships,
  random: () => number,
): Promise<CrowdWorld> {
  // Which process was started under which number is told at `info`.
  const apart = actsPerKill === undefined ? {} : { LOG_LEVEL: 'info', PROCESSES: '3' }
  const instance = await startTestedInstance({
    ...{ LOG_LEVEL: 'error', ...PATIENT, ...PROCESSES, ...COLLECT_LIMITS },
    ...apart,
  })
  const sink = await startMailSink(moods ? random : undefined)
  const [witness, receiver] = await Promise.all([startReceiver(), startReceiver()])
  if (moods) for (const one of [witness, receiver]) one.behave(moodOf(random))
  const made = async (path: string, json: object): Promise<string> => {
    const answer = await send('POST', `${instance.baseUrl}/api${path}`, { token: instance.token, json })
    if (answer.status >= 300) throw new Error(`POST ${path}: ${answer.text}`)
    return answer.json.id
  }
  const config = { kind: 'smtp', host: '127.0.0.1', port: sink.port, tls: 'none', from: 'news@sender.example' }
  const integrationId = await made('/integrations', { name: 'sink', config, isDefault: true })
  await made('/sending-domains', { domain: 'sender.example' })
  const domains = [await made('/sending-domains', { domain: 'second.example' })]
  await instance.sql('update sending_domain_keys set verified_at = now()')
  const witnessId = await made('/webhooks', { url: witness.url })
  const automation = await made('/automations', { name: 'Crowd', definition: definition(TAGS[0]!) })
  await send('POST', `${instance.baseUrl}/api/automations/${automation}/activate`, { token: instance.token })
  const tracker = await send('POST', `${instance.baseUrl}/api/trackers`, {
    ...{ token: instance.token, json: { name: 'Shop', allowedOrigins: [SHOP], consentMode: 'required' } },
  })
  const identity = await send('POST', `${instance.baseUrl}/api/trackers/${tracker.json.id}/identity-keys`, {
    token: instance.token,
  })
  const { logIn, person } = siteCaller(instance)
  const agent = await send('POST', `${instance.baseUrl}/api/auth/tokens`, {
    ...{ token: instance.token, json: { name: 'agent', scopes: AGENT_SCOPES } },
  })
  const template = { name: 'Version', subject: 'Version 0', body: '<p>Hello</p>' }
  const roles = ['admin', 'member', 'viewer'] as const
  const members = await Promise.all(roles.map(async (role) => memberOf(await person(`Crowd-${role}`, role), role)))
  await made('/contacts/batch', {
    contacts: Array.from({ length: STEADY }, (_, n) => ({
      email: `steady${n}@crowd.example`,
      subjectId: `steady-${n}`,
    })),
  })
  const cookie = cookieOf(await logIn(instance.email, instance.password))
  const hooks = await send('GET', `${instance.baseUrl}/site/workspaces/default/feedback-hooks`, { headers: { cookie } })
  return {
    ...{
      integrationId,
      server: config,
      instance,
      sink,
      witness,
      witnessId,
      receiver,
      baseUrl: instance.baseUrl,
      token: instance.token,
    },
    ...{ cookie, killed, cutsRequests: actsPerKill !== undefined && killed === 'web' },
    feedback: { path: hooks.json.paths.events, secret: hooks.json.secret },
    ...{ recorded: [], made: [] },
    ...{ members, tokens: [], agent: agent.json.token, agentId: agent.json.tokenInfo.id },
    ...{ templateId: await made('/templates', template), exported: new Map() },
    hurriedAt: Number.POSITIVE_INFINITY,
    collectKey: tracker.json.key,
    sign: signerOf(identity.json, tracker.json.key),
    viewed: { events: 0, ofLinked: 0 },
    things: {
      people: await Promise.all(ADDRESSES.map((email) => made('/contacts', { email }))),
      segments: await Promise.all(
        TAGS.slice(1).map((tag) => made('/segments', { name: tag, definition: tagRule(tag) })),
      ),
      topics: await Promise.all(['Offers', 'News'].map((name) => made('/topics', { name, subscription: 'everyone' }))),
      tags: await Promise.all(TAGS.map((name) => made('/tags', { name }))),
      automations: [automation],
      broadcasts: [],
      forms: [await made('/forms', FORM)],
      endpoints: [await made('/webhooks', { url: receiver.url })],
      imports: [],
      bulkActs: [],
      emails: [],
      ...{ asked: [], exports: [], templates: [], domains, servers: [] },
      fields: [await made('/custom-fields', { key: 'plan', type: 'string' })],
    },
    async close() {
      await instance.close()
      await Promise.all([sink.close(), witness.close(), receiver.close()])
    },
  }
}
