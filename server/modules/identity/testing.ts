import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { quietServer } from '../../../test/support/quiet-server.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { secretBox, secretKeys } from '../../platform/crypto/secret-box.ts'
import { ensurePartitions } from '../../platform/db/partitions.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { registerGroups } from '../../platform/outbox/consumer.ts'
import { createContact } from '../contacts/create-contact.ts'
import { readContact } from '../contacts/read-contact.ts'
import { BROWSER_ID_PARTITIONS } from '../events/append-browser-events.ts'
import { createBrowserIntake } from '../events/event-intakes.ts'
import { persistEvent } from '../events/persist-event.ts'
import { forgetBrowser } from '../forms/forget-browser.ts'
import { createTrackerFinder } from '../trackers/find-tracker.ts'
import { guardCollect } from '../trackers/guard-collect.ts'
import { createTracker } from '../trackers/manage-trackers.ts'
import { createLinkKeys } from '../tracking/link-keys.ts'
import { visitorsCollect } from '../visitors/collect.ts'
import { createErasedVisitors } from '../visitors/erased-visitors.ts'
import { createMarks } from './claims.ts'
import { type IdentityCollectDeps, identityCollect } from './collect.ts'
import { identifyVisitor } from './identify-visitor.ts'
import { listConflicts } from './identity-conflicts.ts'
import { createIdentityKey } from './manage-identity-keys.ts'

/** Ways to say who somebody is: by a token of the workspace's server, or by the page's own word. */
export type Form = 'signed' | 'unsigned'
export const FORMS = ['signed', 'unsigned'] as const
export type Claims = Record<string, unknown>
export type Says = { sub?: string; email?: string; phone?: string; traits?: Claims }
export type Contact = Awaited<ReturnType<typeof readContact>>

export const silentTally = () => ({
  note: () => undefined,
  noteRefusal: () => undefined,
  tell: async () => undefined,
  stop: async () => undefined,
})
const HEADERS = {
  'content-type': 'text/plain',
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0.0.0 Safari/537.36',
}
export const SHOP = 'https://shop.example'
const addresses = { take: () => assert.fail('without a limit nothing is counted') } as never

type Deps = Pick<IdentityCollectDeps, 'sql' | 'secrets' | 'markAliases' | 'isHttps'>

/** A workspace with a tracker and a key to sign with, whose pages send events and say who is before them. */
export async function identityWorld(declareMore: (app: HttpApp, deps: Deps) => void = () => undefined) {
  const { pool: sql, workspaceId, caller } = await testWorkspace()
  await ensurePartitions(sql, BROWSER_ID_PARTITIONS)
  await registerGroups(sql, [persistEvent])
  const tally = silentTally()
  const keys = secretKeys([{ id: 'k1', key: randomBytes(32) }])
  const secrets = secretBox(keys)
  const app = quietServer({ trustProxy: true, https: false })
  guardCollect(app, { sql, find: createTrackerFinder(sql), limits: { tracker: 0, address: 0 }, tally })
  const linkKeys = createLinkKeys({ sql, keys })
  await linkKeys.ready()
  const enqueueSweep = async () => undefined
  const deps = { sql, secrets, tally, isHttps: false, markAliases: createMarks(keys), linkKeys, enqueueSweep }
  identityCollect(app, { ...deps, limit: 0, addresses, onCreated: async () => undefined })
  visitorsCollect(app, {
    ...{ ...deps, forgetBrowser },
    intake: createBrowserIntake({ sql, onCommitted: () => undefined }),
    onDropped: (_events, reason) => assert.equal(reason, 'erased'),
    erased: (id) => createErasedVisitors(sql)(id),
  })
  declareMore(app, deps)
  await app.ready()
  const tracker = await createTracker({ sql }, caller, { name: 'Shop' })
  const signing = await createIdentityKey(deps, caller, tracker.id)
  /** One that joins contacts by itself, and is told which mail led to its pages. */
  const joining = await createTracker({ sql }, caller, {
    ...{ name: 'Joining', allowedOrigins: [SHOP], autoMerge: true, linkIdentity: true },
  })
  const joiningKey = await createIdentityKey(deps, caller, joining.id)

  const query = <R extends object>(text: string, values: unknown[] = []) =>
    queryInScope<R>(sql, workspaceId, { text, values: [workspaceId, ...values] })
  const post = (path: string, payload: object, more: object = {}) =>
    app.inject({
      method: 'POST',
      url: `/collect/${path}`,
      payload: JSON.stringify({ key: tracker.key, ...(path === 'identify' && { consent: 'granted' }), ...payload }),
      headers: { ...HEADERS, ...more },
    })
  function sign(
    claims: Claims,
    { head = {}, secret = signing.secret }: { head?: object; secret?: string | Buffer } = {},
  ) {
    const times = { iat: nowSeconds(), exp: nowSeconds() + 600 }
    const body = { aud: tracker.key, ...times, ...claims }
    const text = `${tokenPart({ alg: 'HS256', typ: 'JWT', kid: signing.kid, ...head })}.${tokenPart(body)}`
    return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
  }

  let made = 0
  const visitor = () => randomBytes(16).toString('hex')
  const name = () => `person-${++made}`
  const address = () => `${name()}@example.com`
  const phone = () => `+44 20 7946 ${String(1_000 + ++made)}`
  const contact = (body: object) => createContact({ sql }, caller, body as never)
  const shown = (id: string) => readContact(sql, workspaceId, id)
  const everybody = () => query<{ id: string }>('select * from contacts where workspace_id = $1 order by id')
  async function boundTo(visitorId: string): Promise<string | null> {
    const [row] = await query<{ id: string }>(
      'select contact_id as id from visitors where workspace_id = $1 and visitor_id = $2',
      [visitorId],
    )
    return row?.id ?? null
  }
  const conflicts = async (contactId: string) =>
    (await listConflicts({ sql }, workspaceId, { page: 1, pageSize: 1_000 })).items
      .filter((one) => one.contactId === contactId)
      .map(({ kind, alias, otherContactId }) => [kind, alias, otherContactId])

  /** Identifies, and answers the visitor to go on with. */
  async function identified(visitorId: string, body: Claims): Promise<string> {
    const answer = await post('identify', { visitorId, ...body })
    assert.equal(answer.statusCode, 200, answer.body)
    return answer.json().visitorId
  }
  const signed = (visitorId: string, claims: Claims) => identified(visitorId, { token: sign(claims) })
  const capped = { times: 0 }
  const jobs = { pool: sql, secrets, markAliases: deps.markAliases, onCapped: () => capped.times++ }
  /** States who a visitor is, and has everything done that follows. Answers the visitor to go on with. */
  async function said(form: Form, visitorId: string, { sub, ...more }: Says): Promise<string> {
    const own = form === 'signed' ? { token: sign({ sub, ...more }) } : { subjectId: sub, ...more }
    const given = await identified(visitorId, own)
    await identifyVisitor(jobs, { workspaceId, visitorId: given })
    return given
  }
  /** A visitor that was stated to be somebody in a form, and who that is. */
  async function someone(form: Form, says: Says): Promise<{ v: string; b: Contact }> {
    const v = await said(form, visitor(), says)
    return { v, b: await shown((await boundTo(v))!) }
  }
  /** Records an event of a visitor. */
  const see = (visitorId: string, id: string, action = 'page.view') =>
    post('events', {
      ...{ sentAt: new Date().toISOString(), consent: 'granted', visitorId },
      events: [{ id, action, visitorId }],
    })
  const merging = { sql, enqueueSweep }
  /** Says who a visitor is under the tracker that joins. */
  async function toldJoining(visitorId: string, { sub, ...more }: Says & { link?: string }): Promise<string> {
    const by = { head: { kid: joiningKey.kid }, secret: joiningKey.secret }
    const own = more.link === undefined ? { token: sign({ sub, ...more, aud: joining.key }, by) } : more
    const answer = await post('identify', { key: joining.key, visitorId, ...own }, { origin: SHOP })
    assert.equal(answer.statusCode, 200, answer.body)
    return answer.json().visitorId
  }

  return {
    ...{
      app,
      sql,
      workspaceId,
      caller,
      deps,
      jobs,
      capped,
      merging,
      tracker,
      signing,
      joining,
      stop: () => app.close(),
    },
    ...{ query, post, sign, visitor, name, address, phone, contact, shown, everybody, boundTo, conflicts },
    ...{ identified, signed, said, someone, see, toldJoining },
  }
}

export const nowSeconds = () => Math.floor(Date.now() / 1_000)
export const tokenPart = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
