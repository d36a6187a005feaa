import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { signIdentity } from '../../../sdk/src/identity.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { NO_FORMS } from '../../../test/support/no-forms.ts'
import { openTransaction } from '../../../test/support/open-transaction.ts'
import { readAll, watched } from '../../../test/support/outbox-rows.ts'
import { statementsOf } from '../../../test/support/statements-of.ts'
import { int8Array } from '../../platform/db/arrays.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { parseExactJson } from '../../platform/json/exact-json.ts'
import { RANGE_ROWS_MAX } from '../../platform/outbox/consumer.ts'
import { decideEntries } from '../automations/entry/decide-entries.ts'
import { updateContact } from '../contacts/update-contact.ts'
import { upsertContact } from '../contacts/upsert-contact.ts'
import { takeUpsertTurn } from '../contacts/upsert-turn.ts'
import { appendBrowserEventsStatement } from '../events/append-browser-events.ts'
import { persistEvent } from '../events/persist-event.ts'
import { erasePerson } from '../personal-data/erase-person.ts'
import { exportPerson } from '../personal-data/export-person.ts'
import { mergeContacts } from '../personal-data/merge-contacts.ts'
import { createPreview } from '../segments/preview-segment.ts'
import { createTracker } from '../trackers/manage-trackers.ts'
import { attachHistory } from '../visitors/attach-history.ts'
import { forgetErasedVisitors } from '../visitors/erased-visitors.ts'
import { forgetOldStatements, keepStatement } from '../visitors/identity-statements.ts'
import { listVisitors } from '../visitors/list-visitors.ts'
import { claimIdentity } from './identify.ts'
import { identifyVisitor } from './identify-visitor.ts'
import { listConflicts } from './identity-conflicts.ts'
import { createIdentityKey, deleteIdentityKey } from './manage-identity-keys.ts'
import { resolveConflict } from './resolve-conflict.ts'
import { FORMS, identityWorld, nowSeconds, tokenPart } from './testing.ts'

const world = await identityWorld()
after(() => world.stop())
const { sql, workspaceId, caller, deps, jobs, capped, merging, tracker, signing } = world
const { query, post, sign, visitor, name, address, phone, contact, shown, everybody, boundTo, conflicts } = world
const { identified, signed, said, someone, see } = world

test('12: two tabs at once end in one contact, or in a visitor each', async () => {
  for (const form of FORMS) {
    const [v, email] = [visitor(), address()]
    const one = await Promise.all([1, 2, 3].map(() => said(form, v, { email })))
    assert.deepEqual(new Set(one), new Set([v]), form)
    const w = visitor()
    const both = await Promise.all([said(form, w, { email: address() }), said(form, w, { email: address() })])
    assert.equal(both.filter((own) => own === w).length, 1, form)
    assert.notEqual(await boundTo(both[0]!), await boundTo(both[1]!), form)
  }
})

test('whoever identifies waits for the turn to write contacts before any is locked', async () => {
  const known = await contact({ subjectId: name(), email: address() })
  const isWaiting = `select from pg_locks where locktype = 'advisory' and not granted
    and database = (select oid from pg_database where datname = current_database())`
  let going: Promise<string> | undefined
  await inTransaction(sql, workspaceId, async (tx) => {
    await takeUpsertTurn(tx, workspaceId)
    going = signed(visitor(), { sub: known.subjectId, email: known.email })
    await eventually('it waits for its turn', async () => (await sql.query(isWaiting)).rowCount === 1)
    await tx.query('select from contacts where workspace_id = $1 and id = $2 for update nowait', [
      workspaceId,
      known.id,
    ])
  })
  assert.equal(await boundTo(await going!), known.id)
})

test('15: a conflict is resolved by a person: visitors follow the one that stays, as unproven as its address', async () => {
  const [sub, email, v, w] = [name(), address(), visitor(), visitor()]
  await said('unsigned', w, { email })
  await said('signed', v, { sub })
  await said('signed', v, { sub, email })
  const id = (await boundTo(v))!
  const conflictId = async () =>
    (
      await query<{ id: string }>(
        'select id from identity_conflicts where workspace_id = $1 and contact_id = $2 and kept_at is null',
        [id],
      )
    )[0]!.id
  await resolveConflict(merging, caller, { id: await conflictId(), as: 'merge' })
  assert.equal(await boundTo(w), id)
  assert.deepEqual(await conflicts(id), [])
  assert.deepEqual([(await shown(id)).email, (await shown(id)).isUnproven], [email, true])
  await said('signed', v, { sub, email })
  assert.equal((await shown(id)).isUnproven, false)
  const reader = { ...caller, scopes: new Set(['contacts:read', 'events:read'] as const) }
  const { visitors } = await exportPerson({ sql, forms: NO_FORMS }, reader, { id })
  assert.deepEqual(visitors.map((one) => one.visitorId).sort(), [v, w].sort())
  // Two people, somebody has said: not asked again.
  const other = await contact({ email: address() })
  await said('signed', v, { sub, email: other.email! })
  await resolveConflict(merging, caller, { id: await conflictId(), as: 'keep' })
  await said('signed', v, { sub, email: other.email! })
  assert.deepEqual(await conflicts(id), [])
})

test('16: what still comes of an erased person’s browser is dropped, and it goes on as another visitor', async () => {
  const { v, b } = await someone('signed', { sub: name() })
  await erasePerson({ ...merging, forms: NO_FORMS }, caller, { id: b.id })
  const answer = await see(v, 'late')
  assert.deepEqual([answer.statusCode, answer.json().rejected], [200, []])
  assert.match(answer.json().visitorId, /^[0-9a-f]{32}$/)
  assert.notEqual(answer.json().visitorId, v)
  assert.deepEqual(await query('select from outbox where workspace_id = $1 and visitor_id = $2', [v]), [])
  for (const form of FORMS) {
    const own = await said(form, v, { email: address() })
    assert.notEqual(own, v, form)
    assert.equal((await see(own, 'own')).statusCode, 204, form)
  }
  const { rows } = await sql.query('select data::text as job from jobs.job_common where data::text like $1', [`%${v}%`])
  const kinds = rows.map(({ job }) => /attach_history|forget_visitor/.exec(job)?.[0]).sort()
  assert.deepEqual(kinds, ['attach_history', 'forget_visitor'], 'neither takes the place of the other')
  await query(`update erased_visitors set erased_at = now() - interval '31 days' where workspace_id = $1`)
  assert.equal(await forgetErasedVisitors(sql, () => false), 1)
  assert.equal((await see(v, 'later')).statusCode, 204)
})

test('a number that a page has said keeps each of its digits', async () => {
  await contact({ email: address(), customFields: { account: 1 } })
  const traits = parseExactJson('{"account": 9007199254740993}') as Record<string, unknown>
  const [visitorId, email] = [visitor(), address()]
  const statement = { aliases: { subjectId: null, email, phone: null }, traits }
  await inTransaction(sql, workspaceId, (tx) => keepStatement(tx, deps, { workspaceId, visitorId, statement }))
  await identifyVisitor(jobs, { workspaceId, visitorId })
  const [kept] = await query(
    `select custom_fields ->> 'account' as account from contacts where workspace_id = $1 and email = $2`,
    [email],
  )
  assert.deepEqual(kept, { account: '9007199254740993' })
})

test('what a page has said of an erased or forgotten person while the job waits makes nobody, and is not kept', async () => {
  const email = address()
  const statement = { aliases: { subjectId: null, email, phone: null }, traits: {} }
  const keep = (visitorId: string) =>
    inTransaction(sql, workspaceId, (tx) => keepStatement(tx, deps, { workspaceId, visitorId, statement }))
  const waiting = () => query('select from identity_statements where workspace_id = $1')
  const erased = await someone('unsigned', { email })
  await identified(erased.v, { email })
  await erasePerson({ ...merging, forms: NO_FORMS }, caller, { id: erased.b.id })
  assert.deepEqual(await waiting(), [])
  // One that was on its way when the person was erased.
  await keep(erased.v)
  await identifyVisitor(jobs, { workspaceId, visitorId: erased.v })
  const forgotten = await identified(visitor(), { email })
  assert.equal((await post('forget', { visitorId: forgotten })).statusCode, 202)
  assert.deepEqual(await waiting(), [])
  await identifyVisitor(jobs, { workspaceId, visitorId: forgotten })
  assert.deepEqual(await query('select from contacts where workspace_id = $1 and email = $2', [email]), [])
  // Of a browser that was never bound to whom it names.
  const known = await contact({ email })
  const unbound = await identified(visitor(), { email })
  await erasePerson({ ...merging, forms: NO_FORMS }, caller, { id: known.id })
  await identifyVisitor(jobs, { workspaceId, visitorId: unbound })
  assert.deepEqual(await query('select from contacts where workspace_id = $1 and email = $2', [email]), [])
  assert.deepEqual(await waiting(), [])
  // Said after that, it is of somebody new.
  await said('unsigned', visitor(), { email })
  assert.equal((await query('select from contacts where workspace_id = $1 and email = $2', [email])).length, 1)
  await keep(visitor())
  await keep('of-yesterday')
  await query(
    `update identity_statements set stated_at = now() - interval '25 hours' where workspace_id = $1 and visitor_id = 'of-yesterday'`,
  )
  assert.equal(await forgetOldStatements(sql), 1)
  assert.equal((await waiting()).length, 1)
})

test('18: an event that was queued before a reset or a login is of the visitor it says', async () => {
  const { v, b } = await someone('signed', { sub: name() })
  const after = visitor()
  const answer = await post('events', {
    ...{ sentAt: new Date().toISOString(), consent: 'granted', visitorId: after },
    events: [
      { id: 'before', action: 'queued', visitorId: v },
      { id: 'after', action: 'queued' },
    ],
  })
  assert.equal(answer.statusCode, 204)
  const rows = await query(
    `select visitor_id as visitor, contact_id as contact from outbox where workspace_id = $1 and name = 'queued' order by position`,
  )
  assert.deepEqual(rows, [
    { visitor: v, contact: b.id },
    { visitor: after, contact: null },
  ])
})

test('events of browsers bring in, and count for, those alone whose they are proven to be', async () => {
  const both = [await someone('unsigned', { email: address() }), await someone('signed', { sub: name() })]
  for (const { v } of both) await see(v, 'left', 'cart.left')
  await readAll(watched(sql), persistEvent, { rowsMax: RANGE_ROWS_MAX, attempts: 0 })
  const until = new Date(0).toISOString()
  for (const { v } of both) assert.equal(await attachHistory(sql, { workspaceId, visitorId: v, until }), 'done')
  await readAll(watched(sql), persistEvent, { rowsMax: RANGE_ROWS_MAX, attempts: 0 })
  const stored = (action: string) =>
    query<{ position: string; contactId: string; proof: string }>(
      `select id as position, contact_id as "contactId", proof from events
        where workspace_id = $1 and name = $2 and contact_id = any ($3::int8[]) order by id`,
      [action, int8Array(both.map(({ b }) => b.id))],
    )
  const events = await stored('cart.left')
  assert.deepEqual(
    events.map(({ contactId, proof }) => [contactId, proof]),
    [
      [both[0]!.b.id, 'claimed'],
      [both[1]!.b.id, 'signed'],
    ],
  )
  const preview = createPreview(sql, { timeoutMs: 60_000 })
  const counted = async (value: unknown) => {
    const rule = { field: 'event:cart.left', operator: 'performed', value }
    return (await preview(workspaceId, JSON.stringify({ combinator: 'and', rules: [rule] }))).count
  }
  const least = (minProof: string) => counted({ minProof })
  assert.deepEqual(
    [await counted(''), await least('claimed'), await least('link'), await least('signed')],
    [2, 2, 1, 1],
  )
  await assert.rejects(least('none'), /minProof/)
  const dueAt = new Date().toISOString()
  const entered = async (minProof?: string, event = 'cart.left') => {
    const trigger = { event, where: [], ...(minProof && { minProof }) }
    const again = { mode: 'every', key: null, gap: null }
    const definition = { enter: { on: [trigger], if: null, again, holdout: 0 } } as never
    const deciding = { workspaceId, automationId: '1', definition, now: dueAt, liveKeysOf: () => [] }
    const asked = { ...deciding, ruleHolds: async () => new Set<string>(), gapEnd: () => '' }
    const wanting = (await stored(event)).map(({ contactId, position }) => ({
      contactId,
      position,
      dueAt,
      depth: 0,
      entryKey: null,
    }))
    const decided = await inTransaction(sql, workspaceId, (tx) => decideEntries(tx, asked, wanting))
    return decided.map(({ verdict }) => verdict.entered)
  }
  assert.deepEqual(await entered(), [false, true], 'confirmed, unless something else is asked for')
  assert.deepEqual(await entered('claimed'), [true, true])
  assert.deepEqual(await entered('signed'), [false, true])
  assert.deepEqual(await entered(undefined, 'contact.identified'), [false, true], 'that they were recognised, too')
  assert.deepEqual(await entered('claimed', 'contact.identified'), [true, true])
})

test('17: a contact has fifty visitors, and more than twenty that claim it in a day are looked at', async () => {
  const [sub, email] = [name(), address()]
  const m = await contact({ subjectId: sub, email })
  const first = await said('signed', visitor(), { sub })
  await query(`update visitors set last_seen = last_seen - 1 where workspace_id = $1 and visitor_id = $2`, [first])
  for (let n = 0; n < 50; n++) await said('signed', visitor(), { sub })
  assert.equal(await boundTo(first), null)
  const listed = await listVisitors(sql, workspaceId, m.id)
  assert.deepEqual([listed.length, listed[0]!.proof], [50, 'signed'])
  await assert.rejects(listVisitors(sql, workspaceId, '999999999'), { statusCode: 404 } as never)
  const bound = await query('select from visitors where workspace_id = $1 and contact_id = $2', [m.id])
  assert.equal(bound.length, 50)
  const crowded = await contact({ email: address() })
  for (let n = 1; n <= 21; n++) {
    await said('unsigned', visitor(), { email: crowded.email! })
    assert.equal((await conflicts(crowded.id)).length, n > 20 ? 1 : 0)
  }
  const [conflict] = (await listConflicts({ sql }, workspaceId, { page: 1, pageSize: 1_000 })).items.slice(-1)
  assert.equal(conflict!.kind, 'too-many-visitors')
  await assert.rejects(resolveConflict(merging, caller, { id: conflict!.id, as: 'merge' }), /no other contact/)
  await resolveConflict(merging, caller, { id: conflict!.id, as: 'keep' })
})

test('what a page makes is unproven until its workspace or the person states the address, and mails nobody', async () => {
  const emails = Array.from({ length: 4 }, address)
  const made = await Promise.all(
    emails.map(async (email) => (await someone('unsigned', { email, traits: { plan: 'pro', __proto__: 1 } })).b),
  )
  assert.deepEqual(
    made.map((one) => [one.isUnproven, one.customFields]),
    Array(4).fill([true, {}]),
  )
  const told = await query(
    `select type, source, proof from outbox where workspace_id = $1 and contact_id = $2 and type = 'contact.created'`,
    [made[0]!.id],
  )
  assert.deepEqual(told, [{ type: 'contact.created', source: 'collect', proof: 'claimed' }])
  const [byUpsert, byPatch, byPhone, untouched] = made
  await upsertContact({ sql }, caller, { body: { email: byUpsert!.email }, mode: 'fill' })
  await updateContact({ sql }, caller, { id: byPatch!.id, body: { email: byPatch!.email } })
  await updateContact({ sql }, caller, { id: byPhone!.id, body: { phone: phone() } })
  const states = await Promise.all(made.map(async ({ id }) => (await shown(id)).isUnproven))
  assert.deepEqual(states, [false, false, true, true])
  const survivor = await contact({ phone: phone() })
  await mergeContacts(merging, caller, { id: survivor.id, otherId: untouched!.id })
  assert.equal((await shown(survivor.id)).isUnproven, true)
  const proven = await contact({ email: address() })
  await mergeContacts(merging, caller, { id: proven.id, otherId: byPhone!.id })
  assert.equal((await shown(proven.id)).isUnproven, false)
})

test('a page fills blank custom fields of whom it has made, and changes none that is set', async () => {
  await contact({ email: address(), customFields: { grade: 'c', shoeSize: 1 } })
  const email = address()
  const { v, b } = await someone('unsigned', { email, traits: { grade: 'b' } })
  assert.deepEqual((await shown(b.id)).customFields, { grade: 'b' })
  await updateContact({ sql }, caller, { id: b.id, body: { customFields: { grade: 'a' } } })
  await said('unsigned', v, { email, traits: { grade: 'd', shoeSize: 41 } })
  assert.deepEqual((await shown(b.id)).customFields, { grade: 'a', shoeSize: 41 })
})

test('pages make a thousand contacts an hour, and what they say beyond that stays a claim', async () => {
  await query(
    `with made as (insert into contacts (workspace_id, email) select $1, 'bulk' || n || '@example.com' from generate_series(1, 1000) n returning id)
     insert into unproven_contacts (workspace_id, contact_id, visitor_id) select $1, id, 'v' from made`,
  )
  const v = visitor()
  assert.equal(await said('unsigned', v, { email: address() }), v)
  assert.deepEqual([await boundTo(v), capped.times], [null, 1])
  await query('delete from unproven_contacts where workspace_id = $1 and visitor_id = $2', ['v'])
})

test('the request does the same whoever is known: it reads and writes nothing but what was said of the visitor', async () => {
  const known = await contact({ email: address() })
  const statements = (email: string) => {
    const statement = { aliases: { subjectId: null, email, phone: null }, traits: {} }
    return statementsOf(() => claimIdentity(deps, workspaceId, { visitorId: visitor(), statement }))
  }
  const ofKnown = await statements(known.email!)
  assert.ok(ofKnown.length > 3)
  assert.deepEqual(ofKnown, await statements(address()))
  assert.ok(
    ofKnown.every((one) => !/contact|people/.test(one)),
    ofKnown.join(', '),
  )
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

test('where consent is required, nothing is kept of whom a page does not say to have it of', async () => {
  for (const consent of ['required', 'denied', undefined]) {
    const [v, sub] = [visitor(), name()]
    for (const who of [{ email: address() }, { token: sign({ sub }) }]) {
      assert.equal(await identified(v, { ...who, consent }), v)
    }
    const tables = ['identity_statements', 'identity_claims', 'visitors']
    for (const table of tables)
      assert.deepEqual(await query(`select from ${table} where workspace_id = $1 and visitor_id = $2`, [v]), [])
    assert.deepEqual(await query('select from contacts where workspace_id = $1 and subject_id = $2', [sub]), [])
    // A page that says it wrongly hears of it all the same.
    const wrong = { visitorId: visitor(), consent }
    assert.equal((await post('identify', { ...wrong, token: 'no.token.ofours' })).statusCode, 403)
    assert.equal((await post('identify', { ...wrong, subjectId: 'undefined' })).statusCode, 422)
  }
})

test('Global Privacy Control is a no to being recognised where consent is implied, unless the person has granted it', async () => {
  const { key } = await createTracker({ sql }, caller, { name: 'Open', consentMode: 'implied' })
  const isKept = async (more: object, gpc: string) => {
    const visitorId = visitor()
    const who = { key, visitorId, email: address(), consent: undefined }
    await post('identify', { ...who, ...more }, { 'sec-gpc': gpc })
    return (await query('select from identity_statements where workspace_id = $1 and visitor_id = $2', [visitorId]))
      .length
  }
  assert.deepEqual([await isKept({}, '1'), await isKept({ consent: 'granted' }, '1'), await isKept({}, '0')], [0, 1, 1])
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

test('a token may be signed by the bytes that the secret stands for', async () => {
  const sub = name()
  const secret = Buffer.from(signing.secret, 'base64url')
  assert.equal((await post('identify', { visitorId: visitor(), token: sign({ sub }, { secret }) })).statusCode, 200)
  assert.equal((await query('select from contacts where workspace_id = $1 and subject_id = $2', [sub])).length, 1)
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
    `${tokenPart({ alg: 'none', kid: signing.kid })}.${body}.`,
    `${head}.${body}.`,
    `${head}.${tokenPart({ sub, aud: tracker.key, iat: nowSeconds(), exp: nowSeconds() + 60 })}.${sign({ sub }).split('.')[2]}`,
    by({ alg: 'HS512' }),
    by({ alg: 'RS256' }),
    by({ kid: undefined }),
    by({ kid: '9'.repeat(19) }),
    by({ kid: otherKey.kid }, otherKey.secret),
    by({ crit: ['exp'] }),
    by({}, 'guess'),
    sign({ sub, aud: other.key }),
    sign({ sub, exp: nowSeconds() - 120 }),
    sign({ sub, iat: nowSeconds() + 600 }),
    sign({ sub, exp: nowSeconds() + 25 * 3_600 }),
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

test('an event that is recorded beside the binding joins the timeline however long its commit takes', async () => {
  const readLog = () => readAll(watched(sql), persistEvent, { rowsMax: RANGE_ROWS_MAX, attempts: 0 })
  const [v, sub] = [visitor(), name()]
  await signed(visitor(), { sub })
  await readLog()
  const occurredAt = new Date().toISOString()
  const event = { action: 'page.view', properties: '{}', occurredAt, visitorId: v, idHash: randomBytes(16) }
  const batch = { workspaceId, events: [{ ...event, day: `${occurredAt.slice(0, 10)}T00:00:00Z` }] }
  const recording = await openTransaction(sql, (tx) => tx.query(appendBrowserEventsStatement([batch])))
  await signed(v, { sub })
  const contactId = await boundTo(v)
  const bound = { workspaceId, visitorId: v, until: new Date().toISOString() }
  const early = await attachHistory(sql, bound)
  await recording.commit()
  await readLog()
  assert.deepEqual([early, await attachHistory(sql, bound)], ['too_early', 'done'])
  const stored = 'select contact_id as contact from events where workspace_id = $1 and visitor_id = $2'
  assert.deepEqual(await query(stored, [v]), [{ contact: contactId }])
})

test('what a visitor did before joins the timeline without being told anew, and what comes after is theirs at once', async () => {
  const [v, bystander] = [visitor(), visitor()]
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
    `select data, source, proof from outbox where workspace_id = $1 and type = 'contact.identified' and contact_id = $2`,
    [contactId],
  )
  const data = {
    workspaceId: Number(workspaceId),
    contactId: Number(contactId),
    visitorId: v,
    proof: 'signed',
    attached: 2,
  }
  assert.deepEqual(told, [{ data: JSON.stringify(data), source: 'collect', proof: 'signed' }])
})
