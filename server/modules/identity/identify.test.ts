import assert from 'node:assert/strict'
import { createHash, createHmac, randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { signIdentity } from '../../../sdk/src/identity.ts'
import { NO_FORMS } from '../../../test/support/no-forms.ts'
import { readAll, watched } from '../../../test/support/outbox-rows.ts'
import { quietServer } from '../../../test/support/quiet-server.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { secretBox, secretKeys } from '../../platform/crypto/secret-box.ts'
import { ensurePartitions } from '../../platform/db/partitions.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import { RANGE_ROWS_MAX, registerGroups } from '../../platform/outbox/consumer.ts'
import { createContact } from '../contacts/create-contact.ts'
import { readContact } from '../contacts/read-contact.ts'
import { BROWSER_ID_PARTITIONS } from '../events/append-browser-events.ts'
import { createBrowserIntake } from '../events/event-intakes.ts'
import { persistEvent } from '../events/persist-event.ts'
import { exportPerson } from '../personal-data/export-person.ts'
import { createTrackerFinder } from '../trackers/find-tracker.ts'
import { guardCollect } from '../trackers/guard-collect.ts'
import { createTracker } from '../trackers/manage-trackers.ts'
import { attachHistory } from '../visitors/attach-history.ts'
import { visitorsCollect } from '../visitors/collect.ts'
import { createMarks } from './claims.ts'
import { identityCollect } from './collect.ts'
import { listConflicts } from './identity-conflicts.ts'
import { createIdentityKey, deleteIdentityKey } from './manage-identity-keys.ts'
import { resolveConflict } from './resolve-conflict.ts'

const { pool: sql, workspaceId, caller } = await testWorkspace()
await ensurePartitions(sql, BROWSER_ID_PARTITIONS)
await registerGroups(sql, [persistEvent])
const keys = secretKeys([{ id: 'k1', key: randomBytes(32) }])
const secrets = secretBox(keys)
const tally = {
  note: () => undefined,
  noteRefusal: () => undefined,
  tell: async () => undefined,
  stop: async () => undefined,
}
const addresses = { take: () => assert.fail('without a limit nothing is counted') } as never
const app = quietServer({ trustProxy: true, https: false })
guardCollect(app, { sql, find: createTrackerFinder(sql), limits: { tracker: 0, address: 0 }, tally })
const deps = { sql, secrets, tally, isHttps: false, markAliases: createMarks(keys) }
identityCollect(app, { ...deps, limit: 0, addresses, onCreated: async () => undefined })
visitorsCollect(app, {
  ...deps,
  intake: createBrowserIntake({ sql, onCommitted: () => undefined }),
  onDropped: () => assert.fail('nothing is dropped'),
})
await app.ready()
after(() => app.close())

const tracker = await createTracker({ sql }, caller, { name: 'Shop' })
const signing = await createIdentityKey(deps, caller, tracker.id)
const query = <R extends object>(text: string, values: unknown[] = []) =>
  queryInScope<R>(sql, workspaceId, { text, values: [workspaceId, ...values] })
const headers = {
  'content-type': 'text/plain',
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0.0.0 Safari/537.36',
}
const post = (path: string, payload: object) =>
  app.inject({
    method: 'POST',
    url: `/collect/${path}`,
    payload: JSON.stringify({ key: tracker.key, ...payload }),
    headers,
  })

type Claims = Record<string, unknown>
const now = () => Math.floor(Date.now() / 1_000)
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
function sign(claims: Claims, { head = {}, secret = signing.secret }: { head?: object; secret?: string } = {}): string {
  const signed = `${part({ alg: 'HS256', typ: 'JWT', kid: signing.kid, ...head })}.${part({ aud: tracker.key, iat: now(), exp: now() + 600, ...claims })}`
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
}

let made = 0
const visitor = () => randomBytes(16).toString('hex')
const name = () => `person-${++made}`
const address = () => `${name()}@example.com`
const contact = (body: object) => createContact({ sql }, caller, body as never)
/** Identifies, and answers the visitor to go on with. */
async function identified(visitorId: string, body: Claims): Promise<string> {
  const answer = await post('identify', { visitorId, ...body })
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json().visitorId
}
const signed = (visitorId: string, claims: Claims) => identified(visitorId, { token: sign(claims) })
async function boundTo(visitorId: string): Promise<string | null> {
  const [row] = await query<{ id: string }>(
    'select contact_id as id from visitors where workspace_id = $1 and visitor_id = $2',
    [visitorId],
  )
  return row?.id ?? null
}
const everybody = () => query('select * from contacts where workspace_id = $1 order by id')
const conflicts = async (contactId: string) =>
  (await listConflicts({ sql }, workspaceId, { page: 1, pageSize: 1_000 })).items
    .filter((one) => one.contactId === contactId)
    .map(({ kind, alias, otherContactId }) => [kind, alias, otherContactId])

const merging = { sql, enqueueSweep: async () => undefined }
type Case = { name: string; run: () => Promise<void> }
const SIGNED: readonly Case[] = [
  {
    name: '1: nobody has the aliases: a contact is made and the visitor bound',
    async run() {
      const [v, sub, email] = [visitor(), name(), address()]
      assert.equal(await signed(v, { sub, email, traits: { firstName: 'Ada' } }), v)
      const made = await readContact(sql, workspaceId, (await boundTo(v))!)
      assert.deepEqual([made.subjectId, made.email, made.firstName], [sub, email, 'Ada'])
    },
  },
  {
    name: '2: somebody has them: bound, blanks filled, traits written',
    async run() {
      const [v, sub, email] = [visitor(), name(), address()]
      const m = await contact({ email, firstName: 'Old' })
      assert.equal(await signed(v, { sub, email, traits: { firstName: 'New' } }), v)
      assert.equal(await boundTo(v), m.id)
      const after = await readContact(sql, workspaceId, m.id)
      assert.deepEqual([after.subjectId, after.firstName], [sub, 'New'])
    },
  },
  {
    name: '3 and 4: the same person again, and with an alias more',
    async run() {
      const [v, sub, email] = [visitor(), name(), address()]
      await signed(v, { sub })
      const id = await boundTo(v)
      assert.equal(await signed(v, { sub, email }), v)
      assert.equal(await boundTo(v), id)
      assert.equal((await readContact(sql, workspaceId, id!)).email, email)
      const w = visitor()
      await signed(w, { email: address() })
      assert.equal(await signed(w, { sub: name(), phone: '+44 20 7946 0958' }), w)
    },
  },
  {
    name: '5: another person at the same browser gets a visitor of their own, and what was stays',
    async run() {
      const v = visitor()
      await signed(v, { sub: name(), email: address() })
      const first = await boundTo(v)
      for (const other of [
        { sub: name() },
        { email: address() },
        { sub: (await contact({ subjectId: name() })).subjectId },
      ]) {
        const second = await signed(v, other)
        assert.notEqual(second, v)
        assert.notEqual(await boundTo(second), first)
        assert.equal(await boundTo(v), first)
      }
    },
  },
  {
    name: '7: subjectId and email are two people’s: the first is meant, and nothing leaves the second',
    async run() {
      const [sub, email] = [name(), address()]
      const m1 = await contact({ subjectId: sub })
      const m2 = await contact({ email })
      const v = visitor()
      assert.equal(await signed(v, { sub, email }), v)
      assert.equal(await boundTo(v), m1.id)
      assert.equal((await readContact(sql, workspaceId, m2.id)).email, email)
      assert.deepEqual(await conflicts(m1.id), [['aliases-disagree', 'email', m2.id]])
    },
  },
  {
    name: '8 and 9: a new email is taken over where it is free, and left where it is another’s',
    async run() {
      const [sub, fresh, taken] = [name(), address(), address()]
      const m = await contact({ subjectId: sub, email: address() })
      const owner = await contact({ email: taken })
      await signed(visitor(), { sub, email: fresh })
      assert.equal((await readContact(sql, workspaceId, m.id)).email, fresh)
      await signed(visitor(), { sub, email: taken })
      assert.equal((await readContact(sql, workspaceId, m.id)).email, fresh)
      assert.deepEqual(await conflicts(m.id), [['alias-taken', 'email', owner.id]])
      const [conflict] = await query<{ id: string }>(
        'select id from identity_conflicts where workspace_id = $1 and contact_id = $2',
        [m.id],
      )
      await resolveConflict(merging, caller, { id: conflict!.id, as: 'keep' })
      await signed(visitor(), { sub, email: taken })
      assert.deepEqual(await conflicts(m.id), [], 'two people, somebody has said')
    },
  },
  {
    name: 'an email of somebody with another subjectId makes nobody that person',
    async run() {
      const email = address()
      const m = await contact({ subjectId: name(), email })
      const v = visitor()
      await signed(v, { sub: name(), email })
      assert.notEqual(await boundTo(v), m.id)
      assert.equal((await readContact(sql, workspaceId, m.id)).email, email)
    },
  },
  {
    name: '12: two tabs at once end in one contact, or in a visitor each',
    async run() {
      const [v, sub] = [visitor(), name()]
      const same = await Promise.all([signed(v, { sub }), signed(v, { sub }), signed(v, { sub })])
      assert.deepEqual(new Set(same), new Set([v]))
      const w = visitor()
      const both = await Promise.all([signed(w, { sub: name() }), signed(w, { sub: name() })])
      assert.equal(both.filter((one) => one === w).length, 1)
      assert.notEqual(await boundTo(both[0]!), await boundTo(both[1]!))
    },
  },
  {
    name: '15: a conflict is resolved by a person: the visitors of the one that is merged follow',
    async run() {
      const [sub, email, v, w] = [name(), address(), visitor(), visitor()]
      await signed(w, { email })
      await signed(v, { sub })
      await signed(v, { sub, email })
      const id = (await boundTo(v))!
      const [conflict] = (await listConflicts({ sql }, workspaceId, { page: 1, pageSize: 1_000 })).items.slice(-1)
      await resolveConflict(merging, caller, { id: conflict!.id, as: 'merge' })
      assert.equal(await boundTo(w), id)
      assert.deepEqual(await conflicts(id), [])
      const reader = { ...caller, scopes: new Set(['contacts:read', 'events:read'] as const) }
      const { visitors } = await exportPerson({ sql, forms: NO_FORMS }, reader, { id })
      assert.deepEqual(visitors.map((one) => one.visitorId).sort(), [v, w].sort())
    },
  },
]
for (const { name, run } of SIGNED) test(`signed, ${name}`, run)

test('unsigned, nobody is bound, made or changed, and the answer is the same whoever is known', async () => {
  const known = { email: address(), sub: name() }
  await contact({ email: known.email, subjectId: known.sub, firstName: 'Ada' })
  const before = await everybody()
  for (const body of [
    { email: known.email },
    { email: address() },
    { subjectId: known.sub, traits: { firstName: 'Eve' } },
    { subjectId: name() },
    { phone: '+44 20 7946 0000' },
  ]) {
    const v = visitor()
    assert.equal(await identified(v, body), v)
    assert.equal(await boundTo(v), null)
    assert.equal(await identified(v, body), v, 'the same again')
    const other = await identified(v, { email: address() })
    assert.notEqual(other, v, 'a claim takes a visitor, too')
    assert.equal(await boundTo(other), null)
  }
  assert.deepEqual(await everybody(), before)
  const claimed = visitor()
  await identified(claimed, { email: known.email })
  assert.notEqual(await signed(claimed, { sub: name() }), claimed, 'what was claimed is no other’s')
  const own = visitor()
  await identified(own, { email: known.email })
  assert.equal(await signed(own, { sub: known.sub, email: known.email }), own)
  assert.equal(await identified(own, { email: known.email }), own)
  assert.notEqual(await identified(own, { email: address() }), own)
})

test('a browser is of five people an hour at most, a lost answer is given again, and codes of aliases say nothing', async () => {
  for (const [name, as] of [
    ['signed', (v: string, email: string) => ({ visitorId: v, token: sign({ email }) })],
    ['unsigned', (v: string, email: string) => ({ visitorId: v, email })],
  ] as const) {
    const v = visitor()
    const emails = Array.from({ length: 5 }, address)
    const given: string[] = []
    for (const email of emails) given.push((await post('identify', as(v, email))).json().visitorId)
    assert.equal(new Set([v, ...given]).size, 5, name)
    assert.equal((await post('identify', as(v, emails[2]!))).json().visitorId, given[2], name)
    const refused = await post('identify', as(v, address()))
    assert.deepEqual([refused.statusCode, Number(refused.headers['retry-after']) > 3_000], [429, true], name)
    await query(
      `update identity_claims set first_claimed_at = now() - interval '61 minutes' where workspace_id = $1 and asked_visitor_id = $2`,
      [v],
    )
    assert.equal((await post('identify', as(v, address()))).statusCode, 200, name)
    const marks = await query<{ email: Buffer }>(
      'select email_mark as email from identity_claims where workspace_id = $1 and visitor_id = $2',
      [v],
    )
    assert.notDeepEqual(marks[0]!.email, createHash('sha256').update(emails[0]!).digest())
  }
})

test('10: what names nobody is a 422, signed or not, and without anything too', async () => {
  for (const junk of ['', ' ', 'null', 'undefined', 'Anonymous', 'guest', '[object Object]', '0', 'x']) {
    for (const body of [{ subjectId: junk }, { token: sign({ sub: junk }) }]) {
      const answer = await post('identify', { visitorId: visitor(), ...body })
      assert.equal(answer.statusCode, 422, `${junk} ${answer.body}`)
    }
  }
  assert.equal((await post('identify', { visitorId: visitor() })).statusCode, 422)
  assert.equal((await post('identify', { visitorId: visitor(), token: sign({}) })).statusCode, 422)
  assert.equal((await post('identify', { visitorId: visitor(), email: 'nobody' })).statusCode, 400)
})

test('a token is worth nothing unless a live key of this tracker has signed it, for now and for this visitor', async () => {
  const before = await everybody()
  const other = await createTracker({ sql }, caller, { name: 'Other' })
  const otherKey = await createIdentityKey(deps, caller, other.id)
  const second = await createIdentityKey(deps, caller, tracker.id)
  await assert.rejects(createIdentityKey(deps, caller, tracker.id), /at most 2 identity keys/)
  const sub = name()
  const by = (head: object, secret?: string) => sign({ sub }, secret === undefined ? { head } : { head, secret })
  const [head, body] = sign({ sub }).split('.')
  for (const token of [
    'nonsense',
    'a.b.c',
    `${part({ alg: 'none', kid: signing.kid })}.${body}.`,
    `${head}.${body}.`,
    `${head}.${part({ sub, aud: tracker.key, iat: now(), exp: now() + 60 })}.${sign({ sub }).split('.')[2]}`,
    by({ alg: 'HS512' }),
    by({ alg: 'RS256' }),
    by({ kid: undefined }),
    by({ kid: '9'.repeat(19) }),
    by({ kid: otherKey.kid }, otherKey.secret),
    by({ crit: ['exp'] }),
    by({}, 'guess'),
    sign({ sub, aud: other.key }),
    sign({ sub, exp: now() - 120 }),
    sign({ sub, iat: now() + 600 }),
    sign({ sub, exp: now() + 25 * 3_600 }),
    sign({ sub, vid: visitor() }),
    sign({ sub, exp: undefined }),
  ]) {
    const answer = await post('identify', { visitorId: visitor(), token })
    assert.deepEqual([answer.statusCode, answer.json().code], [403, 'identity-not-proven'], token)
  }
  assert.deepEqual(await everybody(), before)
  const byClient = { kid: signing.kid, secret: signing.secret, collectKey: tracker.key }
  const byTheirs = visitor()
  assert.equal(
    await identified(byTheirs, { token: await signIdentity({ subjectId: sub, visitorId: byTheirs }, byClient) }),
    byTheirs,
  )
  const v = visitor()
  assert.equal(
    await identified(v, { token: sign({ sub, vid: v }, { head: { kid: second.kid }, secret: second.secret }) }),
    v,
  )
  await deleteIdentityKey(deps, caller, { trackerId: tracker.id, kid: second.kid })
  const late = await post('identify', { visitorId: v, token: by({ kid: second.kid }, second.secret) })
  assert.equal(late.statusCode, 403)
  const strict = await createTracker({ sql }, caller, { name: 'Strict', identify: 'signed' })
  const claim = await post('identify', { key: strict.key, visitorId: visitor(), email: address() })
  assert.equal(claim.json().code, 'identity-not-proven')
})

test('what a visitor did before joins the timeline without being told anew, and what comes after is theirs at once', async () => {
  const [v, bystander] = [visitor(), visitor()]
  const see = (visitorId: string, id: string) =>
    post('events', {
      ...{ sentAt: new Date().toISOString(), consent: 'granted', visitorId },
      events: [{ id, action: 'page.view' }],
    })
  for (const id of ['a', 'b']) await see(v, id)
  await see(bystander, 'a')
  const sub = name()
  await signed(v, { sub })
  const contactId = (await boundTo(v))!
  await see(v, 'c')
  const bound = { workspaceId, visitorId: v, until: new Date().toISOString() }
  assert.equal(await attachHistory(sql, bound), 'too_early')
  await readAll(watched(sql), persistEvent, { rowsMax: RANGE_ROWS_MAX, attempts: 0 })
  assert.equal(await attachHistory(sql, bound), 'done')
  const rows = await query(
    `select visitor_id = $2 as own, contact_id as contact, proof from events
     where workspace_id = $1 and visitor_id = any (array[$2, $3]) order by id`,
    [v, bystander],
  )
  assert.deepEqual(rows, [
    { own: true, contact: contactId, proof: 'none' },
    { own: true, contact: contactId, proof: 'none' },
    { own: false, contact: null, proof: 'none' },
    { own: true, contact: contactId, proof: 'signed' },
  ])
  const told = await query(
    `select data from outbox where workspace_id = $1 and type = 'contact.identified' and contact_id = $2`,
    [contactId],
  )
  const data = {
    workspaceId: Number(workspaceId),
    contactId: Number(contactId),
    visitorId: v,
    proof: 'signed',
    attached: 2,
  }
  assert.deepEqual(told, [{ data: JSON.stringify(data) }])
})
