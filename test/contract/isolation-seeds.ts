import assert from 'node:assert/strict'
import { FORESEEN } from '../../server/modules/moving/foresee.ts'
import { NOTHING_MOVED } from '../../server/modules/moving/moved-so-far.ts'
import { type Answer, type Call, send } from '../support/http-client.ts'
import { type DeclaredRoute, type JsonSchema, sampleOf } from '../support/route-table.ts'
import { siteCaller } from '../support/site-caller.ts'
import type { BehindTheBack } from '../support/tested-instance.ts'

/** A workspace with somebody who may do everything in it, by both doors. */
export type World = { name: string; workspaceId: string; slug: string; token: string; cookie: string }

/** A service that can be called and whose database can be looked into. */
export type Tested = BehindTheBack & { baseUrl: string }

export type Seeding = { instance: Tested; routes: readonly DeclaredRoute[] }

/** Bodies that a schema's examples cannot say. By operation, without the `Site` of the dashboard's twin. */
const BODIES: Readonly<Record<string, object>> = {
  Contacts_create: { subjectId: 'person' },
  Contacts_upsert: { subjectId: 'person' },
  Contacts_upsertBatch: { contacts: [{ subjectId: 'person' }] },
  Events_create: { events: [{ action: 'page.view', subjectId: 'person' }] },
  Events_createBatch: { events: [{ action: 'page.view', subjectId: 'person' }] },
  Webhooks_create: { url: 'http://127.0.0.1:8099/hook', enabled: false },
  Integrations_create: {
    name: 'relay',
    config: { kind: 'smtp', host: 'mail.example.com', port: 587, from: 'a@example.com' },
  },
  Integrations_testConfig: { config: { kind: 'smtp', host: '192.0.2.1', port: 587, from: 'a@example.com' } },
  Imports_create: { csv: 'email\nada@example.com\n' },
  Members_update: { role: 'member' },
  Invitations_create: { email: 'guest@example.com', role: 'member' },
}

/** Fields whose values are one of a kind, and what a number makes of them. */
const UNIQUE: Readonly<Record<string, (value: string, n: number) => string>> = {
  name: (value, n) => `${value} ${n}`,
  key: (value, n) => `${value}_${n}`,
  subjectId: (value, n) => `${value}-${n}`,
  domain: (_, n) => `d${n}.example.com`,
  // Of a picture: more behind its end.
  data: (value, n) => value + Buffer.from(String(n).padStart(6, '0')).toString('base64'),
  email: (_, n) => `guest-${n}@example.com`,
  destination: (_, n) => `guest-${n}@example.com`,
}

let made = 0

/** A body that the operation takes, new every time. */
export function bodyOf(route: DeclaredRoute): Record<string, unknown> | undefined {
  if (!route.body) return undefined
  const body = structuredClone(BODIES[route.operationId.replace(/^Site/, '')] ?? sampleOf(route.body))
  made++
  return unique(body as Record<string, unknown>, made)
}

function unique<T>(value: T, n: number): T {
  if (Array.isArray(value)) return value.map((item) => unique(item, n)) as T
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, item]) => [
    key,
    typeof item === 'string' && UNIQUE[key] ? UNIQUE[key](item, n) : unique(item, n),
  ])
  return Object.fromEntries(entries)
}

/** Sends a request to a world's workspace by the door of the route. */
export function callWorld(instance: Tested, world: World, method: string, path: string, call: Call = {}) {
  const isSite = path.startsWith('/site/')
  const headers = isSite ? { cookie: world.cookie, origin: instance.baseUrl, ...call.headers } : call.headers
  return send(method, instance.baseUrl + path, {
    ...(isSite ? {} : { token: world.token }),
    ...call,
    ...(headers ? { headers } : {}),
  })
}

export type Kind = string

/**
 * The kind of each id in a path: the path up to it, without the workspace. `contacts/{contactId}/tags/{name}` has ids
 * of `contacts` and of `contacts/tags/{name}`.
 */
export function kindsIn(path: string): { parameter: string; kind: Kind }[] {
  const inner = path.replace(/^\/(api|site\/workspaces\/\{slug\}|site)(\/|$)/, '')
  return [...inner.matchAll(/\{(\w+)\}/g)].map((match) => ({
    parameter: match[1]!,
    kind: inner
      .slice(0, match.index)
      .replaceAll(/\{\w+\}\//g, '')
      .replace(/\/$/, ''),
  }))
}

export type Ids = Readonly<Record<Kind, string>>
type Seed = (seeding: Seeding, world: World, parents: Ids) => Promise<string>

const post = async ({ instance }: Seeding, world: World, path: string, json?: object): Promise<Answer> => {
  const answer = await callWorld(instance, world, 'POST', path, json === undefined ? {} : { json })
  assert.ok(answer.status < 300, `the seed POST ${path} answers ${answer.status} ${answer.text}`)
  return answer
}

/** A message that is settled at once, because its address is suppressed: one that is queued changes by itself. */
async function settledEmail(seeding: Seeding, world: World): Promise<string> {
  const destination = 'suppressed@example.com'
  await post(seeding, world, '/api/suppressions', { destination })
  return (await post(seeding, world, '/api/emails', { destination, subject: 'Seed', text: 'Seed' })).json.id
}

/** Kinds that are made otherwise than by a POST to their collection with a sample of its body. */
const SEEDS: Readonly<Record<Kind, Seed>> = {
  'webhooks/deliveries': async (seeding, world, parents) =>
    (await post(seeding, world, `/api/webhooks/${parents.webhooks}/test`)).json.id,
  'auth/tokens': async (seeding, world) =>
    (await post(seeding, world, '/api/auth/tokens', { name: 'seed', scopes: ['contacts:read'] })).json.tokenInfo.id,
  tokens: async (seeding, world) =>
    (await post(seeding, world, '/api/auth/tokens', { name: 'seed', scopes: ['contacts:read'] })).json.tokenInfo.id,
  agents: async (seeding, world) => {
    const id = await seed(seeding, world, { kind: 'tokens', parents: {} })
    await seeding.instance.sql(
      `insert into agent_grants (workspace_id, token_id, user_id, client_id, redirect_host, connected_at)
       values ($1, $2, (select min(id) from users), 'pac_seed', 'agents.example', now())`,
      [world.workspaceId, id],
    )
    await seeding.instance.sql(`update api_tokens set expires_at = now() + interval '30 days' where id = $1`, [id])
    return id
  },
  approvals: async (seeding, world) => {
    const broadcastId = await seed(seeding, world, { kind: 'broadcasts', parents: {} })
    const [row] = await seeding.instance.sql<{ id: string }>(
      `insert into approvals (workspace_id, broadcast_id, content_hash, recipients_count, plan, note, asked_by, expires_at)
       values ($1, $2, sha256(''), 1, '{"name":"","subject":"","fromName":null,"fromEmail":null,"topicId":null,
         "segments":[],"excludedSegments":[],"sendCount":null,"people":[],"warnings":[],
         "preview":{"subject":"","html":"","text":""}}', '', '{"tokenId":null,"tokenName":null,"client":null}', now() + interval '1 day')
       returning id`,
      [world.workspaceId, broadcastId],
    )
    return row!.id
  },
  // One that was read: a workspace has one under way at a time, which would ask for an address.
  moves: async ({ instance }, world) => {
    const [row] = await instance.sql<{ id: string }>(
      `insert into moves (workspace_id, source, state, foreseen, moved, started_by)
       values ($1, 'brevo', 'read', $2, $3, '{}') returning id`,
      [world.workspaceId, JSON.stringify(FORESEEN), JSON.stringify(NOTHING_MOVED)],
    )
    return row!.id
  },
  members: async ({ instance }, world) => {
    const [row] = await instance.sql<{ id: string }>(
      `with u as (
         insert into users (email, name, password_hash) values ($1, 'Member', '$argon2id$none') returning id
       )
       insert into memberships (workspace_id, user_id, role) select $2, id, 'member' from u returning user_id as id`,
      [`member-${++made}@example.com`, world.workspaceId],
    )
    return row!.id
  },
  invitations: async (seeding, world) => {
    const path = `/site/workspaces/${world.slug}/invitations`
    return (await post(seeding, world, path, { email: `guest-${++made}@example.com`, role: 'member' })).json.id
  },
  emails: settledEmail,
  messages: settledEmail,
  // Nothing but a mail server puts one there.
  mailbox: async ({ instance }, world) => {
    const values = [world.workspaceId]
    await instance.sql(
      `insert into mailboxes (workspace_id, host, port, password_hash) values ($1, '127.0.0.1', 1, sha256(''))
       on conflict do nothing`,
      values,
    )
    const [row] = await instance.sql<{ id: string }>(
      `insert into caught_mails (workspace_id, mail_from, recipients, subject, from_text, to_text, raw, bytes)
       values ($1, '', '{ada@example.com}', 'Seed', '', '', 'x', 1) returning id`,
      values,
    )
    return row!.id
  },
  // Its name is that of a token's head, and it is no id of its own.
  'trackers/identity-keys': async (seeding, world, parents) =>
    (await post(seeding, world, `/api/trackers/${parents.trackers}/identity-keys`, {})).json.kid,
  // Nothing but statements of a server that contacts contradict makes one.
  'identity-conflicts': async (seeding, world) => {
    const contactOf = async () => seed(seeding, world, { kind: 'contacts', parents: {} })
    const [row] = await seeding.instance.sql<{ id: string }>(
      `insert into identity_conflicts (workspace_id, kind, alias, contact_id, other_contact_id)
       values ($1, 'alias-taken', 'email', $2, $3) returning id`,
      [world.workspaceId, await contactOf(), await contactOf()],
    )
    return row!.id
  },
  // A topic under another name of the path.
  'contacts/topics': async (seeding, world) => seed(seeding, world, { kind: 'topics', parents: {} }),
  // A contact under another name of the path.
  'segments/contacts': async (seeding, world) => seed(seeding, world, { kind: 'contacts', parents: {} }),
  'broadcasts/recipients': async (seeding, world) => seed(seeding, world, { kind: 'contacts', parents: {} }),
  // Versions count from 1 in every template; here each has a number of its own.
  'templates/versions': async ({ instance }, world, parents) => {
    const values = [world.workspaceId, parents.templates, 1_000 + ++made]
    const set = 'set version = $3 where workspace_id = $1 and'
    await instance.sql(`update template_versions ${set} template_id = $2`, values)
    await instance.sql(`update templates ${set} id = $2`, values)
    return String(values[2])
  },
  'system/backups': async ({ instance }) => {
    const [row] = await instance.sql<{ id: string }>(
      `insert into backups (file_name, state, ended_at) values ($1, 'failed', now()) returning id`,
      [`postroom-${++made}.backup`],
    )
    return row!.id
  },
  // Three are written at once, and where no jobs run none is ever done.
  'contacts/exports': async (seeding, world) => {
    const end = `update exports set state = 'failed', ended_at = now() where workspace_id = $1 and state = 'running'`
    await seeding.instance.sql(end, [world.workspaceId])
    return (await post(seeding, world, '/api/contacts/exports', {})).json.id
  },
  'contacts/bulk-acts': async (seeding, world) => {
    const end = `update bulk_acts set state = 'failed', ended_at = now() where workspace_id = $1 and state = 'running'`
    await seeding.instance.sql(end, [world.workspaceId])
    return (await post(seeding, world, '/api/contacts/bulk-acts', { act: 'tag', tag: 'bulk' })).json.id
  },
  'automations/versions': async ({ instance }, world, parents) => {
    const version = 1_000 + ++made
    await instance.sql(
      `insert into automation_versions (workspace_id, automation_id, version, definition) values ($1, $2, $3, '{}')`,
      [world.workspaceId, parents.automations, version],
    )
    return String(version)
  },
  // Revisions count from 1 in every automation as well.
  'automations/revisions': async ({ instance }, world, parents) => {
    const values = [world.workspaceId, parents.automations, 1_000 + ++made]
    const set = 'update automation_revisions set revision = $3 where workspace_id = $1 and automation_id = $2'
    await instance.sql(set, values)
    return String(values[2])
  },
  'automations/simulations': async ({ instance }, world, parents) => {
    const [row] = await instance.sql<{ id: string }>(
      `insert into automation_simulations (workspace_id, automation_id, draft, from_at, until_at, share)
       values ($1, $2, '{}', now() - interval '1 day', now(), 10000) returning id`,
      [world.workspaceId, parents.automations],
    )
    return row!.id
  },
  'automations/runs': async ({ instance }, world, parents) => {
    const [row] = await instance.sql<{ id: string }>(
      `with v as (
         insert into automation_versions (workspace_id, automation_id, version, definition) values ($1, $2, $3, '{}') returning *
       )
       insert into runs (workspace_id, automation_id, version, contact_id, entry_key, entered_at, depth, node, visit, state, at,
         at_position)
       select workspace_id, automation_id, version, 1, '', now(), 0, 'a', 1, 'parked', now(), 0 from v returning id`,
      [world.workspaceId, parents.automations, 1_000 + ++made],
    )
    return row!.id
  },
  'contacts/tags': async (seeding, world, parents) => {
    const name = `tag ${++made}`
    await post(seeding, world, `/api/contacts/${parents.contacts}/tags`, { name })
    return name
  },
}

/** Makes one of a kind in a world; what stands above it in the path is there already. */
export async function seed(seeding: Seeding, world: World, place: { kind: Kind; parents: Ids }): Promise<string> {
  const { kind, parents } = place
  const special = SEEDS[kind]
  if (special) return String(await special(seeding, world, parents))
  const collection = seeding.routes.find(
    ({ method, path, surface }) => method === 'POST' && surface === 'api' && path === `/api/${kind}`,
  )
  assert.ok(collection, `nobody knows how to make one of ${kind}: give it a seed in isolation-seeds.ts`)
  const { json } = await post(seeding, world, collection.path, bodyOf(collection))
  assert.match(String(json?.id), /^[0-9]+$/, `${collection.operationId} answers the id of what it made`)
  return json.id
}

/** Names of fields that refer to something of the workspace by its id, and to what; null: an id that is only compared. */
const REFERENCES: Readonly<Record<string, Kind | null>> = {
  automationId: 'automations',
  broadcastId: 'broadcasts',
  contactId: 'contacts',
  contactIds: 'contacts',
  segmentId: 'segments',
  segmentIds: 'segments',
  excludedSegmentIds: 'segments',
  integrationId: 'integrations',
  templateId: 'templates',
  topicId: 'topics',
  topicIds: 'topics',
  contentId: null,
  subjectId: null,
  actorId: null,
  targetId: null,
  requestId: null,
  accessKeyId: null,
}

/** The references a schema holds, by the path of field names that leads to each. */
export function referencesIn(
  schema: JsonSchema | undefined,
  at: readonly string[] = [],
): { at: string[]; kind: Kind }[] {
  if (!schema) return []
  const found = Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => {
    const place = [...at, name]
    if (!/[a-z]Ids?$/.test(name)) return referencesIn(inner, place)
    const kind = REFERENCES[name]
    assert.ok(kind !== undefined, `nobody knows what ${place.join('.')} refers to: add it in isolation-seeds.ts`)
    return kind === null ? [] : [{ at: place, kind }]
  })
  const nested = [...(schema.anyOf ?? []), ...(schema.items ? [schema.items] : [])]
  return [
    ...found,
    ...nested.flatMap((inner) => referencesIn(inner, [...at, ...(inner === schema.items ? ['0'] : [])])),
  ]
}

/** A workspace of its own with an owner and a token. */
export async function worldIn(instance: Tested, name: string): Promise<World> {
  const workspaceId = await instance.makeWorkspace(name)
  const owner = await siteCaller(instance).person(`owner-${name}`, 'owner', workspaceId)
  return {
    name,
    workspaceId,
    slug: name,
    token: await instance.makeToken(undefined, workspaceId),
    cookie: owner.cookie,
  }
}

/** One of each kind that the path names, new, in the world. */
export async function idsIn(seeding: Seeding, world: World, path: string): Promise<Ids> {
  const ids: Record<Kind, string> = {}
  for (const { kind } of kindsIn(path)) ids[kind] = await seed(seeding, world, { kind, parents: ids })
  return ids
}

export const pathWith = (route: DeclaredRoute, slug: string, ids: Ids) =>
  kindsIn(route.path).reduce(
    (path, { parameter, kind }) => path.replace(`{${parameter}}`, encodeURIComponent(ids[kind]!)),
    route.path.replace('{slug}', slug),
  )

/** Sets a value deep in a body. */
export function put(body: Record<string, unknown>, at: readonly string[], value: unknown): Record<string, unknown> {
  const [name, ...rest] = at as [string, ...string[]]
  if (rest.length === 0) return { ...body, [name]: name.endsWith('s') ? [value] : value }
  const inner = (body[name] ?? {}) as Record<string, unknown>
  if (Array.isArray(inner)) return { ...body, [name]: [put((inner[0] ?? {}) as never, rest.slice(1), value)] }
  return { ...body, [name]: put(inner, rest, value) }
}

/** A hash of every table's rows of a workspace, without when its tokens were used last and how far its log is sealed. */
export async function rowsOf(instance: Tested, workspaceId: string): Promise<Record<string, string>> {
  const tables = await instance.sql<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and a.attname = 'workspace_id' and c.relname not in ('row_counts', 'audit_chains')`,
  )
  const rows: Record<string, string> = {}
  for (const { name } of tables) {
    const [row] = await instance.sql<{ hash: string }>(
      `select md5(coalesce(string_agg(j, ' ' order by j), '')) as hash from (
         select (to_jsonb(t) - 'last_used_at' - 'seal' - 'sequence')::text as j from ${name} t where workspace_id = $1) r`,
      [workspaceId],
    )
    rows[name] = row!.hash
  }
  return rows
}
