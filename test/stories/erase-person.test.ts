import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { RUN_SLOTS } from '../../server/modules/automations/entry/slots.ts'
import { LISTENING_AUTOMATION } from '../support/automations.ts'
import { eventually } from '../support/eventually.ts'
import { type Answer, type Call, send } from '../support/http-client.ts'
import { startInstance } from '../support/instance.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { rowsSpelling } from '../support/search-database.ts'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'

/** A sweep begins two seconds after the erasure and works through a small database at once. */
const SWEPT_WITHIN_MS = 90_000

let instance: TestedInstance
let receiver: Receiver

before(async () => {
  ;[instance, receiver] = await Promise.all([startTestedInstance(), startReceiver()])
})
after(async () => {
  await instance?.close()
  await receiver?.close()
})

const call = (method: string, path: string, given: Call = {}): Promise<Answer> =>
  send(method, instance.baseUrl + path, { token: instance.token, ...given })

async function create(json: object): Promise<string> {
  const { status, json: contact } = await call('POST', '/api/contacts', { json })
  assert.equal(status, 201)
  return contact.id
}

async function record(events: object[]): Promise<void> {
  const { status, text } = await call('POST', '/api/events', { json: { events } })
  assert.equal(status, 204, text)
}

const swept = (contactId: string) =>
  eventually(
    `the sweep for contact ${contactId} to end`,
    async () => {
      const rows = await instance.sql(`select from erasures where contact_id = $1 and state = 'done'`, [contactId])
      return rows.length === 1
    },
    SWEPT_WITHIN_MS,
  )

const spelling = (texts: string[]) => rowsSpelling(instance.database.superuserUrl, texts, { except: ['suppressions'] })

test('an erased person is nowhere in the database, although events about it poured in meanwhile', async () => {
  const [subjectId, email, phone] = ['subject-erase-me', 'erase.me@example.com', '+49 151 555 0199']
  const person = { subjectId, email, phone }
  const webhook = await call('POST', '/api/webhooks', { json: { url: `${receiver.url}/all` } })
  const paused = await call('POST', '/api/webhooks', { json: { url: `${receiver.url}/off`, enabled: false } })
  assert.equal(paused.status, 201)
  // Before there is a contact: attached to nobody.
  await record([{ action: 'early', ...person, properties: { of: email } }])
  const contactId = await create({ ...person, firstName: 'Erasmus', customFields: { nick: 'erasable' } })
  const other = await create({ subjectId: 'subject-stays', email: 'stays@example.com' })
  await instance.sql(LISTENING_AUTOMATION, ['1', 'poured'])
  await instance.sql(
    `insert into jobs.job_common (id, name, data, start_after) values
    (gen_random_uuid(), 'default', $1, now() + interval '1 hour')`,
    [JSON.stringify({ kind: 'later', payload: { workspaceId: '1', of: { email } } })],
  )
  await call('PATCH', `/api/contacts/${contactId}`, { json: { lastName: 'Mustermann' } })
  await instance.sql(
    `insert into contact_consents (workspace_id, contact_id, provenance, opt_in_ip) values (1, $1, 'imported', '203.0.113.77')`,
    [contactId],
  )
  // A file that waits to be imported, and one whose row for the person failed.
  const csv = (rows: string) => ({ json: { csv: `email,phone\n${rows}` } })
  assert.equal((await call('POST', '/api/contacts/imports', csv(`${email},${phone}\n`))).status, 201)
  const failing = await call(
    'POST',
    '/api/contacts/imports?start=true',
    csv(`no address,${phone}\n${email},${'1'.repeat(50)}\n`),
  )
  assert.equal(failing.status, 201, failing.text)
  await eventually(
    'the import to fail for a row',
    async () => (await instance.sql('select from import_errors')).length > 0,
  )
  for (const json of [{}, { filter: { email: email.toUpperCase(), tag: 'none' } }]) {
    const exported = await call('POST', '/api/contacts/exports', { json })
    assert.ok(exported.status < 300, exported.text)
  }
  await eventually(
    'the exports',
    async () => (await instance.sql(`select from exports where state = 'done'`)).length === 2,
  )
  const preview = () =>
    call('POST', '/api/segments/preview', { json: {}, headers: { 'idempotency-key': 'preview-of-all' } })
  assert.match((await preview()).text, /erase\.me@example\.com/)
  // The bounce and the complaint that the system itself tells of: kept for the totals, the opt-out kept as it is.
  await instance.sql(
    `insert into outbox (workspace_id, type, name, subject, contact_id, email, data, occurred_at)
     values (1, 'email.complained', 'email.complained', $1, $2, $1, $3, now())`,
    [email, contactId, JSON.stringify({ workspaceId: 1, email, contactId, sendingDomain: 'mail.example' })],
  )
  await record([
    { action: 'named', subjectId: 'subject-stays', email, id: `order of ${email}` },
    { action: 'poured', email: email.toUpperCase(), properties: { note: `for ${email}` } },
  ])
  await eventually('an enrollment', async () => (await instance.sql('select from run_queue')).length === 1)

  let pouring = true
  let poured = 0
  const pours = ['subjectId', 'email', 'phone'].map(async (alias) => {
    while (pouring) {
      const alone = { [alias]: person[alias as 'email'] }
      await record(Array.from({ length: 20 }, (_, n) => ({ action: 'poured', ...alone, properties: { n, email } })))
      poured += 20
    }
  })
  await eventually('events to pour', () => poured > 500)
  const erased = await call('DELETE', `/api/contacts/${contactId}`)
  pouring = false
  await Promise.all(pours)
  assert.equal(erased.status, 204)
  assert.equal((await call('GET', `/api/contacts/${contactId}`)).status, 404)
  assert.equal((await call('DELETE', `/api/contacts/${contactId}`)).status, 404)
  await swept(contactId)
  assert.deepEqual(await spelling([subjectId, email, phone, 'Erasmus', 'Mustermann', 'erasable', '203.0.113.77']), [])

  assert.doesNotMatch((await preview()).text, /erase\.me@example\.com/)
  const { json: failed } = await call('GET', `/api/contacts/imports/${failing.json.id}/errors`)
  assert.deepEqual([failed.totalItems, failed.items], [0, []])
  const exports = await call('GET', '/api/contacts/exports')
  const filters = exports.json.items.map(({ filter }: { filter: object }) => filter)
  assert.deepEqual(filters, [{}, { email: '(erased)', tag: 'none' }])

  const opted = await instance.sql('select destination, reason from suppressions')
  assert.deepEqual(opted, [{ destination: email, reason: 'complaint' }])
  const kept = await instance.sql<{ type: string; data: object; contact_id: string | null }>(
    `select type, data, contact_id from events where type <> 'event.recorded' and subject = '' order by id`,
  )
  assert.deepEqual(
    kept.map(({ type, data, contact_id }) => [type, data, contact_id]),
    [
      ['contact.created', { workspaceId: 1 }, null],
      ['email.complained', { workspaceId: 1, sendingDomain: 'mail.example' }, null],
    ],
  )
  const [named] = await instance.sql<{ contact_id: string; email: null; subject: string }>(
    `select contact_id, email, subject from events where name = 'named'`,
  )
  assert.deepEqual(named, { contact_id: other, email: null, subject: 'subject-stays' })
  const told = () =>
    receiver.requests.map(({ body }) => JSON.parse(body.toString())).filter(({ type }) => type === 'contact.erased')
  await eventually('contact.erased to arrive', () => told().length === 1)
  const [event] = told()
  assert.deepEqual(
    [event.contactId, event.subject, event.data.contactId, event.data.identifierKind, event.data.operatorKind],
    [Number(contactId), contactId, Number(contactId), 'contactId', 'api_token'],
  )
  const [entry] = await instance.sql(
    `select target_id, target_name, diff from audit_entries where action = 'contact.erase'`,
  )
  assert.deepEqual(entry, { target_id: contactId, target_name: null, diff: {} })
  assert.equal(webhook.status, 201)
})

test('somebody new under the aliases of an erased person keeps what is recorded about them', async () => {
  const person = { subjectId: 'subject-again', email: 'again@example.com' }
  const first = await create(person)
  await record([{ action: 'before', ...person }])
  assert.equal((await call('DELETE', `/api/contacts/${first}`)).status, 204)
  const second = await create(person)
  await record([{ action: 'after', ...person }])
  await swept(first)
  const timeline = await call('GET', `/api/contacts/${second}/events`)
  const actions = timeline.json.items.map(({ action }: { action: string }) => action)
  assert.deepEqual(actions, ['after', 'contact.created'])
  assert.equal(timeline.json.items[0].email, person.email)
  assert.deepEqual(await instance.sql(`select from events where name = 'before'`), [])
})

test('events in flight under the id of a merged contact reach the survivor, and so do their effects', async () => {
  const [kept, merged] = [await create({ subjectId: 'merge-kept' }), await create({ subjectId: 'merge-gone' })]
  const [automation] = await instance.sql<{ id: string }>(LISTENING_AUTOMATION, ['1', 'rare'])
  // With turns, which the others here do without: what waits for them is looked at.
  await instance.sql(
    `insert into automation_lanes (workspace_id, automation_id, slot) select 1, $1, generate_series(0, ${RUN_SLOTS - 1})`,
    [automation!.id],
  )
  let pouring = true
  let poured = 0
  const pours = Array.from({ length: 3 }, async () => {
    while (pouring) {
      await record(Array.from({ length: 20 }, () => ({ action: 'flood', subjectId: 'merge-gone' })))
      poured += 20
    }
  })
  await eventually('events to pour', () => poured > 1_500)
  const rare = record([{ action: 'rare', subjectId: 'merge-gone' }])
  const { status, text } = await call('POST', `/api/contacts/${kept}/merge`, { json: { contactId: merged } })
  assert.equal(status, 200, text)
  pouring = false
  await Promise.all([...pours, rare])
  // The flood goes on for a moment under an alias that the survivor has no room for: those events belong to nobody.
  const finished = () => instance.sql(`select from contact_merges where merged_id = $1 and state = 'done'`, [merged])
  await eventually('the history to be complete', async () => (await finished()).length === 1, SWEPT_WITHIN_MS)
  const owners = await instance.sql<{ contact_id: string | null; number: string }>(
    `select contact_id, count(*) as number from events where name = 'flood' group by 1 order by 1`,
  )
  const total = owners.reduce((sum, { number }) => sum + Number(number), 0)
  assert.equal(total, poured)
  assert.ok(
    owners.every(({ contact_id }) => contact_id === null || contact_id === kept),
    JSON.stringify(owners),
  )
  assert.ok(Number(owners[0]!.number) > 1_000)
  const [left] = await instance.sql<{ rows: string }>(`select count(*) as rows from outbox where contact_id = $1`, [
    merged,
  ])
  assert.equal(left!.rows, '0')
  // One that the merge did not see yet is handed on by the next turn of its lane.
  const enrolled = `select contact_id as "contactId" from ended_runs where automation_id = $1`
  await eventually(
    'the survivor to be through',
    async () => (await instance.sql(enrolled, [automation!.id])).length > 0,
  )
  assert.deepEqual(await instance.sql(enrolled, [automation!.id]), [{ contactId: kept }])
  assert.deepEqual(await instance.sql('select from run_queue where automation_id = $1', [automation!.id]), [])
})

test('a sweep goes on where a killed process left it', async () => {
  const encryption = { ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64') }
  const doomed = await startTestedInstance({ ...encryption, POSTROOM_CRASH_POINT: 'erase_contact_step:2' })
  const at = (path: string) => doomed.baseUrl + path
  const { token } = doomed
  try {
    const made = await send('POST', at('/api/contacts'), { token, json: { email: 'killed@example.com' } })
    const events = Array.from({ length: 1_000 }, () => ({ action: 'visit', email: 'killed@example.com' }))
    for (let n = 0; n < 3; n++) await send('POST', at('/api/events'), { token, json: { events } })
    assert.equal((await send('DELETE', at(`/api/contacts/${made.json.id}`), { token })).status, 204)
    await doomed.ended
    assert.equal((await doomed.sql('select from personal_data_sweeps')).length, 1, 'it was killed in the middle')
    const heir = await startInstance({ env: { DATABASE_URL: doomed.database.url, ...encryption } })
    try {
      await eventually(
        'the heir to end the sweep',
        async () => (await doomed.sql(`select from erasures where state = 'done'`)).length === 1,
        60_000,
      )
      assert.deepEqual(await rowsSpelling(doomed.database.superuserUrl, ['killed@example.com']), [])
    } finally {
      await heir.stop()
    }
  } finally {
    await doomed.close()
  }
})
