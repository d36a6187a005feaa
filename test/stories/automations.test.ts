import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { apiCall } from '../support/api-call.ts'
import { eventually } from '../support/eventually.ts'
import { send } from '../support/http-client.ts'
import { startSendingServer } from '../support/sending-server.ts'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'

let instance: TestedInstance
let server: Awaited<ReturnType<typeof startSendingServer>>

before(async () => {
  instance = await startTestedInstance()
  server = await startSendingServer({ answerMs: () => 0 })
  await call('POST', '/api/integrations', {
    ...{ name: 'relay', isDefault: true },
    config: { kind: 'smtp', host: '127.0.0.1', port: server.port, tls: 'none', from: 'news@sender.example' },
  })
  await call('POST', '/api/sending-domains', { domain: 'sender.example' })
  await instance.sql('update sending_domain_keys set verified_at = now()')
})
after(async () => {
  await instance.close()
  await server.close()
})

const call = apiCall(() => instance)

async function automation(definition: object): Promise<string> {
  const { id } = await call('POST', '/api/automations', { name: 'Story', definition: { format: 1, ...definition } })
  const { status, publishedVersion } = await call('POST', `/api/automations/${id}/activate`)
  assert.deepEqual([status, publishedVersion], ['active', 1])
  return id
}
const people = async (prefix: string, count: number) => {
  const emails = Array.from({ length: count }, (_, n) => `${prefix}${n}@example.com`)
  await call('POST', '/api/contacts/batch', { contacts: emails.map((email) => ({ email })) })
  return emails
}
const record = (events: object[]) => call('POST', '/api/events', { events })
const mailed = (prefix: string) => [...server.copies().keys()].filter((address) => address.startsWith(prefix)).sort()
const endedOf = (id: string) =>
  instance.sql<{ state: string; reason: string | null; n: string }>(
    'select state, reason, count(*) as n from ended_runs where automation_id = $1 group by 1, 2 order by 1, 2',
    [id],
  )
const insideOf = async (id: string) =>
  (
    await instance.sql<{ runs: string; queued: string }>(
      `select (select count(*) from runs where automation_id = $1) as runs,
         (select count(*) from run_queue where automation_id = $1) as queued`,
      [id],
    )
  )[0]!
const isEmpty = async (id: string) => Object.values(await insideOf(id)).every((count) => count === '0')

/** Counts of each node, as sums and as they are. */
async function unequalSums(id: string) {
  return instance.sql(
    `with sums as (
       select version, node, sum(total) filter (where kind = 'entered') as entered,
         sum(total) filter (where kind <> 'entered') as gone
       from node_totals where automation_id = $1 and node <> '' group by 1, 2
     ), here as (select version, node, count(*) as n from runs where automation_id = $1 group by 1, 2)
     select sums.*, here.n from sums left join here using (version, node)
     where coalesce(entered, 0) <> coalesce(gone, 0) + coalesce(here.n, 0)`,
    [id],
  )
}

const MAIL = { type: 'email', subject: 'Your cart {{ event.cartId }}', body: '<p>It waits. {{ unsubscribe_url }}</p>' }

test('of ten who leave a cart, those who buy in time get no mail, the others one each', async () => {
  const id = await automation({
    enter: { on: [{ event: 'cart.updated', where: [{ property: 'total', operator: '>=', value: 20 }] }] },
    start: 'w1',
    nodes: {
      w1: {
        ...{ type: 'wait', timeout: 'PT3S', late: 'm1' },
        for: [{ event: 'order.paid', match: { cartId: 'cartId' }, to: 't1' }],
      },
      m1: { ...MAIL, to: 't2' },
      t1: { type: 'tag', add: ['buyer'], to: 'end' },
      t2: { type: 'tag', add: ['reminded'], to: 'end' },
    },
  })
  const emails = await people('cart', 11)
  const cart = (email: string, total: number, n: number) => ({
    action: 'cart.updated',
    email,
    properties: { total, cartId: `c${n}` },
  })
  await record([
    ...emails.slice(0, 10).map((email, n) => cart(email, 25, n)),
    cart(emails[10]!, 19, 10),
    // In the same request, right behind the trigger; and one of another cart.
    { action: 'order.paid', email: emails[0], properties: { cartId: 'c0' } },
    { action: 'order.paid', email: emails[9], properties: { cartId: 'other' } },
  ])
  await record([1, 2, 3].map((n) => ({ action: 'order.paid', email: emails[n], properties: { cartId: `c${n}` } })))
  await eventually('everybody is through', async () => (await endedOf(id)).length === 1 && (await isEmpty(id)))
  assert.deepEqual(await endedOf(id), [{ state: 'completed', reason: null, n: '10' }])
  await eventually('six mails', () => mailed('cart').length === 6)
  assert.deepEqual(mailed('cart'), emails.slice(4, 10))
  assert.ok([...server.copies()].every(([, copies]) => copies.length === 1))
  assert.deepEqual(await unequalSums(id), [])
  const tagged = await instance.sql<{ name: string; n: string }>(
    `select t.name, count(*) as n from contact_tags c join tags t on t.id = c.tag_id group by 1 order by 1`,
  )
  assert.deepEqual(tagged, [
    { name: 'buyer', n: '4' },
    { name: 'reminded', n: '6' },
  ])
  const refused = await instance.sql<{ refusal: string }>(
    'select refusal from enrollments where automation_id = $1 and entries = 0',
    [id],
  )
  assert.deepEqual(refused, [{ refusal: 'filter' }])
  const mailsOf = async () =>
    (await call('GET', `/api/automations/${id}/counts`)).nodes.find(({ node }: { node: string }) => node === 'm1').mails
  await eventually('what became of the mails is kept', async () => (await mailsOf())?.accepted === 6)
  const counts = await call('GET', `/api/automations/${id}/counts`)
  assert.deepEqual([counts.entered, counts.inside, counts.refused], [10, 0, [{ reason: 'filter', count: 1 }]])
  const { since, ...today } = await call('GET', `/api/automations/${id}/counts?last=24h`)
  assert.deepEqual({ ...today, since: null }, counts)
  assert.ok(Date.now() - Date.parse(since) < 26 * 3_600_000)
  const explained = async (email: string) => {
    const { items } = await call('GET', `/api/contacts?email=${email}`)
    return call('GET', `/api/automations/${id}/explain?contactId=${items[0].id}`)
  }
  assert.match((await explained(emails[0]!)).story.join(' '), /left “w1” by “0” for “t1”.*came to the end/)
  assert.match(
    (await explained(emails[9]!)).story.join(' '),
    /left “w1” by “late” for “m1”.*left “m1” by “to” for “t2”/,
  )
  assert.match((await explained(emails[0]!)).story.join(' '), /^Came in on \S+ by the event cart\.updated \(\d+\)/)
  const small = await explained(emails[10]!)
  assert.match(small.story.join(' '), /by the event cart\.updated .*did not pass the filter of the trigger, seeing/)
  const [{ refusedEvent, values }] = small.entries
  assert.deepEqual([refusedEvent, values], ['cart.updated', { 'event.total': 19 }])
  // Values are of contacts: who may not read those is told without.
  const { token } = await call('POST', '/api/auth/tokens', { name: 'Flows', scopes: ['automations:read'] })
  const path = `/api/automations/${id}/explain?contactId=${small.contactId}`
  const blind = (await send('GET', instance.baseUrl + path, { token })).json
  assert.deepEqual([blind.entries[0].refusal, blind.entries[0].values], ['filter', {}])
  const { items: found } = await call('GET', `/api/contacts?email=${emails[0]}`)
  const { automationRuns } = await call('GET', `/api/contacts/${found[0].id}/export`)
  assert.deepEqual(
    automationRuns.map(({ automationId, state, steps }: { automationId: string; state: string; steps: object[] }) => [
      ...[automationId, state],
      steps.length,
    ]),
    [[id, 'completed', 3]],
  )
  const { items } = await call('GET', `/api/automations/${id}/runs?state=completed&limit=3`)
  assert.equal(items.length, 3)
  const { steps } = await call('GET', `/api/automations/${id}/runs/${items[0].id}`)
  assert.deepEqual(
    steps.map(({ visit }: { visit: number }) => visit),
    [...steps.keys()],
  )
})

test('a mail that quiet hours hold back is told of with its reason, and goes once they are over', async () => {
  const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16)
  const quietHours = { from: at(-3), until: at(3), zone: 'UTC' }
  await call('PATCH', '/api/sending-settings', { quietHours })
  const id = await automation({
    priority: 'high',
    enter: { on: [{ event: 'night.owl' }] },
    start: 'm1',
    nodes: { m1: { ...MAIL, to: 'end' } },
  })
  const [email] = await people('owl', 1)
  await record([{ action: 'night.owl', email }])
  await eventually('it is held back', async () => {
    const [row] = await instance.sql<{ held: string | null }>(
      `select q.held_for as held from messages m join message_queue q on q.message_id = m.id where m.destination = $1`,
      [email],
    )
    return row?.held === 'quiet_hours'
  })
  const [contact] = await instance.sql<{ id: string }>('select id from contacts where email = $1', [email])
  const told = () => call('GET', `/api/automations/${id}/explain?contactId=${contact!.id}`)
  assert.match(JSON.stringify((await told()).story), /The mail of “m1” waits: the person has quiet hours/)
  await call('PATCH', '/api/sending-settings', { quietHours: null })
  await eventually('it has gone', () => mailed('owl').length === 1)
  assert.doesNotMatch(JSON.stringify((await told()).story), /waits/)
})

test('an exit ends a run wherever it stands, and takes back the mail that waits', async () => {
  const id = await automation({
    enter: { on: [{ event: 'trial.began' }], again: { mode: 'after_end' } },
    exit: [{ event: 'trial.ended' }],
    start: 'm1',
    nodes: { m1: { ...MAIL, to: 'd1' }, d1: { type: 'delay', days: 3, to: 'end' } },
  })
  const [email] = await people('exit', 1)
  await instance.sql('update integrations set enabled = false')
  await record([{ action: 'trial.began', email }])
  const state = async () =>
    (
      await instance.sql<{ state: string; reason: string | null }>(
        `select state, reason from messages where destination = $1`,
        [email],
      )
    )[0]
  await eventually('the mail is planned', async () => (await state())?.state === 'pending')
  await record([{ action: 'trial.ended', email }])
  await eventually('it has ended', () => isEmpty(id))
  assert.deepEqual(await endedOf(id), [{ state: 'exited', reason: 'criterion', n: '1' }])
  assert.deepEqual(await state(), { state: 'skipped', reason: 'run_ended' })
  await instance.sql('update integrations set enabled = true')
  // It may come again, and is not held up by what was.
  await record([{ action: 'trial.began', email }])
  // A row of the queue alone is nobody inside yet: a stop would refuse the entry, and nothing would have ended.
  await eventually('it is in again', async () => (await insideOf(id)).runs === '1')
  assert.deepEqual(await unequalSums(id), [])
  await call('POST', `/api/automations/${id}/stop`)
  await eventually('everybody has left', () => isEmpty(id))
  assert.deepEqual(
    (await endedOf(id)).map(({ reason }) => reason),
    ['criterion', 'stopped'],
  )
  assert.deepEqual(await unequalSums(id), [])
})

test('a version is published while people wait: the preview says who keeps a place, and they go on there at once', async () => {
  const enter = { on: [{ event: 'edit.began' }] }
  const nodes = {
    d1: { type: 'delay', days: 3, to: 'd2' },
    d2: { type: 'delay', days: 3, to: 'end' },
  }
  const id = await automation({ enter, start: 'd1', nodes })
  await record((await people('edit', 3)).map((email) => ({ action: 'edit.began', email })))
  const inside = async () =>
    instance.sql('select version, node, state from runs where automation_id = $1 order by 1, 2', [id])
  const waiting = async (count: number) => {
    const runs = await inside()
    return runs.length === count && runs.every(({ state }) => state === 'waiting')
  }
  await eventually('all wait', () => waiting(3))
  const definition = {
    ...{ format: 1, enter, start: 'w1', exit: [{ event: 'edit.ended' }] },
    nodes: {
      w1: { type: 'wait', for: [{ event: 'edit.hurried', to: 't1' }], timeout: 'P5D', late: 'end' },
      t1: { type: 'tag', add: ['edited'], to: 'end' },
    },
  }
  await call('PATCH', `/api/automations/${id}`, { definition })
  const staying = await call('POST', `/api/automations/${id}/publish-preview`, { inside: 'stay' })
  assert.deepEqual([staying.people.stay, staying.faults], [3, []], 'who stays needs no place in the new version')
  const lost = await call('POST', `/api/automations/${id}/publish-preview`, { inside: 'move' })
  assert.deepEqual(lost.people, { inside: 3, keep: 0, move: 0, leave: 0, stay: 0, homeless: 3 })
  assert.deepEqual([lost.parts, lost.faults[0].pointer], [['exit', 'start'], '/map/d1'])
  const change = (of: string) => lost.nodes.find(({ node }: { node: string }) => node === of).change
  assert.deepEqual([change('d1'), change('t1')], ['removed', 'added'])
  const refused = await send('POST', `${instance.baseUrl}/api/automations/${id}/publish`, {
    token: instance.token,
    json: { inside: 'move' },
  })
  assert.deepEqual([refused.status, refused.json.errors[0].pointer], [422, '/map/d1'])
  const body = { inside: 'move', map: { d1: 'w1' } }
  const { people: seen, nextDay } = await call('POST', `/api/automations/${id}/publish-preview`, body)
  assert.deepEqual([seen.move, seen.homeless, nextDay.timersAfter], [3, 0, 0])
  assert.deepEqual(nextDay.mailsAfter, { atLeast: 0, atMost: 0 })
  // What the new version listens to counts from the entry on, and a wait hears what came before the publishing.
  await record([{ action: 'edit.hurried', email: 'edit0@example.com' }])
  assert.deepEqual(await call('POST', `/api/automations/${id}/publish`, body), {
    version: 2,
    inside: 'move',
    people: 3,
  })
  await record([{ action: 'edit.ended', email: 'edit1@example.com' }])
  await eventually('two have gone, and one waits', () => waiting(1))
  assert.deepEqual(await inside(), [{ version: 2, node: 'w1', state: 'waiting' }])
  // Who was taken along came to no step by it, and went on from none.
  const { nodes: counted } = await call('GET', `/api/automations/${id}/counts`)
  const flow = (of: string) => {
    const { entered, movedIn, left, movedOut } = counted.find(({ node }: { node: string }) => node === of)
    return { entered, movedIn, left, movedOut }
  }
  assert.deepEqual(flow('d1'), { entered: 3, movedIn: 0, left: 3, movedOut: 3 })
  assert.deepEqual(flow('w1'), { entered: 3, movedIn: 3, left: 1, movedOut: 0 })
  assert.deepEqual(flow('t1'), { entered: 1, movedIn: 0, left: 0, movedOut: 0 })
  const { items } = await call('GET', '/api/contacts?email=edit2@example.com')
  const { story } = await call('GET', `/api/automations/${id}/explain?contactId=${items[0].id}`)
  assert.match(story[0], / by the event edit\.began \(\d+\), in version 1\.$/)
  assert.match(story[1], /: was moved from “d1” to “w1” of version 2, by publishing\.$/)
  assert.deepEqual(await endedOf(id), [
    { state: 'completed', reason: null, n: '1' },
    { state: 'exited', reason: 'criterion', n: '1' },
  ])
  assert.deepEqual(await unequalSums(id), [])
  await call('POST', `/api/automations/${id}/publish`, { inside: 'exit' })
  assert.equal((await inside()).length, 1, 'those in the version in force stay')
  await call('POST', `/api/automations/${id}/stop`)
})

test('a preview promises no less mail than may go out, wherever those inside are taken', async () => {
  const enter = { on: [{ event: 'promise.began' }] }
  const rest = (hours: number, to: string) => ({ type: 'delay', hours, to })
  const id = await automation({ enter, start: 'rest', nodes: { rest: rest(30, 'late'), late: { ...MAIL, to: 'end' } } })
  await record((await people('promise', 11)).map((email) => ({ action: 'promise.began', email })))
  const waiting = `select from run_queue where automation_id = $1 and kind = 'timer' and not looks`
  await eventually('all wait', async () => (await instance.sql(waiting, [id])).length === 11)
  const ways = [{ if: { rules: [{ field: 'email', operator: 'beginsWith', value: 'promise1' }] }, to: 'mail' }]
  const [mail, choice] = [
    { ...MAIL, to: 'end' },
    { type: 'branch', ways, else: 'end' },
  ]
  const heard = { type: 'wait', for: [{ event: 'promise.kept', to: 'mail' }], timeout: 'P9D', late: 'end' }
  const split = { type: 'split', ways: ['choice', 'heard', 'soon', 'again'].map((to) => ({ weight: 2_500, to })) }
  const nodes = { choice, mail, heard, soon: rest(31, 'mail'), again: rest(20, 'both'), both: { ...MAIL, to: 'more' } }
  const definition = { format: 1, enter, start: 'split', nodes: { split, ...nodes, more: rest(2, 'mail') } }
  await call('PATCH', `/api/automations/${id}`, { definition })
  const ahead = async (place?: string) => {
    const body = place === undefined ? {} : { inside: 'move', map: { rest: place } }
    const { nextDay, nodes: told } = await call('POST', `/api/automations/${id}/publish-preview`, body)
    assert.deepEqual(nextDay, told.find(({ node }: { node: string }) => node === 'rest').nextDay)
    assert.deepEqual(nextDay.mailsBefore, { atLeast: 0, atMost: 0 })
    return [nextDay.timersAfter, nextDay.mailsAfter.atLeast, nextDay.mailsAfter.atMost]
  }
  assert.deepEqual(await ahead(), [0, 0, 0])
  assert.deepEqual(await ahead('choice'), [0, 0, 11], 'each may be one of those who are mailed')
  assert.deepEqual(await ahead('mail'), [0, 11, 11])
  assert.deepEqual(await ahead('heard'), [0, 0, 11], 'what they wait for may happen')
  assert.deepEqual(await ahead('soon'), [0, 0, 0])
  assert.deepEqual(await ahead('again'), [11, 22, 22], 'both mails are within a day')
  assert.deepEqual(await ahead('end'), [0, 0, 0])
  await call('POST', `/api/automations/${id}/pause`)
  assert.deepEqual(await ahead('mail'), [0, 0, 11], 'nobody is surely mailed during a pause')
  await call('POST', `/api/automations/${id}/resume`, { late: 'now' })
  await call('POST', `/api/automations/${id}/publish`, { inside: 'move', map: { rest: 'choice' } })
  await eventually('all are through', () => isEmpty(id))
  await eventually('two are mailed', () => mailed('promise').length === 2)
})

test('a paused automation loses nobody: timers are put off, exits act, who comes waits, a version is published', async () => {
  const definition = {
    enter: { on: [{ event: 'paused.began' }] },
    exit: [{ event: 'paused.ended' }],
    start: 'd1',
    nodes: { d1: { type: 'delay', seconds: 1, to: 'd2' }, d2: { type: 'delay', hours: 1, to: 'end' } },
  }
  const id = await automation(definition)
  const [first, second, third] = await people('pause', 3)
  await record([first, second].map((email) => ({ action: 'paused.began', email })))
  const at = (node: string) => instance.sql('select from runs where automation_id = $1 and node = $2', [id, node])
  await eventually('both are past the second', async () => (await at('d2')).length === 2)
  const paused = await call('POST', `/api/automations/${id}/pause`)
  assert.deepEqual(
    [paused.status, typeof paused.pausedBy, Number.isNaN(Date.parse(paused.pausedAt))],
    ['paused', 'string', false],
  )
  await record([
    { action: 'paused.ended', email: first },
    { action: 'paused.began', email: third },
  ])
  await eventually('the exit has acted', async () => (await endedOf(id)).length === 1)
  const timerOfSecond = async () => {
    const { items } = await call('GET', `/api/contacts?email=${second}`)
    const runs = await call('GET', `/api/automations/${id}/runs?contactId=${items[0].id}`)
    return Date.parse(runs.items[0].dueAt)
  }
  const before = await timerOfSecond()
  assert.ok(before > Date.now(), 'there is a timer')
  assert.equal(
    (await instance.sql(`select from run_queue where automation_id = $1 and kind = 'entry'`, [id])).length,
    1,
  )
  const nodes = { ...definition.nodes, d2: { type: 'delay', hours: 2, to: 'end' } }
  await call('PATCH', `/api/automations/${id}`, { definition: { format: 1, ...definition, nodes } })
  const published = await call('POST', `/api/automations/${id}/publish`, { inside: 'move' })
  assert.deepEqual(published, { version: 2, inside: 'move', people: 1 })
  const still = await call('GET', `/api/automations/${id}`)
  assert.deepEqual([still.status, still.pausedAt, still.pausedBy], ['paused', paused.pausedAt, paused.pausedBy])
  assert.equal(await timerOfSecond(), before, 'nobody goes along before it is resumed')
  assert.equal((await call('POST', `/api/automations/${id}/resume`, {})).status, 'active')
  // On its way into the version it has no timer for a moment.
  await eventually('its timer is put off', async () => (await timerOfSecond()) > before)
  await eventually('the third is in', async () => (await at('d2')).length === 2)
  const moved = () => instance.sql('select from runs where automation_id = $1 and version = 2', [id])
  await eventually('the second has come along', async () => (await moved()).length === 2)
  await eventually('its timer is of the version', async () => (await timerOfSecond()) >= before + 3_600_000)
  assert.deepEqual(await unequalSums(id), [])
})

test('a goal that ends a run ends it during a pause too, with its mail; one that comes after its window ends nothing', async () => {
  const id = await automation({
    enter: { on: [{ event: 'cart.left' }] },
    goal: { event: 'cart.paid', within: 'P1D', exit: true },
    start: 'm1',
    nodes: { m1: { ...MAIL, to: 'd1' }, d1: { type: 'delay', days: 3, to: 'end' } },
  })
  const [buyer, late] = await people('goal', 2)
  const mails = () =>
    instance.sql<{ destination: string; state: string; reason: string | null }>(
      'select destination, state, reason from messages where destination = any ($1) order by destination',
      [[buyer, late]],
    )
  await instance.sql('update integrations set enabled = false')
  await record([buyer, late].map((email) => ({ action: 'cart.left', email })))
  await eventually('both mails are planned', async () => (await mails()).length === 2)
  await instance.sql(
    `update runs set entered_at = entered_at - interval '2 days' where automation_id = $1
       and contact_id = (select id from contacts where email = $2)`,
    [id, late],
  )
  await call('POST', `/api/automations/${id}/pause`)
  await record([late, buyer].map((email) => ({ action: 'cart.paid', email })))
  await eventually('the buyer has left', async () => (await endedOf(id)).length === 1)
  assert.deepEqual(await endedOf(id), [{ state: 'exited', reason: 'goal', n: '1' }])
  await call('POST', `/api/automations/${id}/resume`, {})
  await instance.sql('update integrations set enabled = true')
  await eventually('the other mail has gone', async () => (await mails()).some(({ state }) => state === 'accepted'))
  assert.deepEqual(await mails(), [
    { destination: buyer, state: 'skipped', reason: 'run_ended' },
    { destination: late, state: 'accepted', reason: null },
  ])
  assert.deepEqual(await unequalSums(id), [])
  await call('POST', `/api/automations/${id}/stop`)
})

/** The verdict on somebody who is enrolled under a key, the first one that came before its answer had to go out. */
async function decidedOn(automationId: string, contactId: string, keyOf: (attempt: number) => string = () => '') {
  let verdict: { verdict: string } | undefined
  for (let attempt = 0; verdict?.verdict !== 'entered' && verdict?.verdict !== 'refused'; attempt += 1) {
    assert.ok(attempt < 100, 'a hundred answers went out before anything was decided')
    const key = keyOf(attempt)
    const body = { contactIds: [contactId], ...(key !== '' && { key }) }
    const { accepted, verdicts } = await call('POST', `/api/automations/${automationId}/enroll`, body)
    assert.deepEqual([accepted, verdicts.length], [1, 1])
    ;[verdict] = verdicts
  }
  return verdict
}

test('who pays during a pause has reached the goal, also where the payment is what ends it', async () => {
  const paid = { event: 'pause.paid' }
  const id = await automation({
    enter: { on: [{ event: 'pause.carted' }] },
    exit: [paid],
    goal: { ...paid, within: 'P1D', value: 'total' },
    start: 'rest',
    nodes: { rest: { type: 'delay', days: 1, to: 'end' } },
  })
  const [email] = await people('payer', 1)
  await record([{ action: 'pause.carted', email }])
  await eventually('somebody is in', async () => (await insideOf(id)).runs === '1')
  await call('POST', `/api/automations/${id}/pause`)
  await record([{ action: 'pause.paid', email, properties: { total: 30 } }])
  await eventually('they have left', () => isEmpty(id))
  assert.deepEqual(
    await instance.sql(
      'select reason, goal_at is not null as reached, goal_value::int as value from ended_runs where automation_id = $1',
      [id],
    ),
    [{ reason: 'criterion', reached: true, value: 30 }],
  )
})

test('people are enrolled by hand and by another automation, made to leave, and told of by events and fields', async () => {
  await call('POST', '/api/custom-fields', { key: 'stage', type: 'string' })
  const target = await automation({
    enter: { on: [{ manual: true }], again: { mode: 'after_end' } },
    start: 'rest',
    nodes: { rest: { type: 'delay', days: 1, to: 'end' } },
  })
  const leaver = await automation({
    enter: { on: [{ event: 'stage.reached' }] },
    start: 'out',
    nodes: { out: { type: 'leave', automation: target, to: 'end' } },
  })
  const source = await automation({
    enter: { on: [{ event: 'source.began' }] },
    start: 'set',
    nodes: {
      set: { type: 'field', set: { stage: 'two' }, to: 'in' },
      in: { type: 'enroll', automation: target, to: 'rest' },
      rest: { type: 'delay', seconds: 2, to: 'say' },
      say: { type: 'emit', event: 'stage.reached', properties: { n: 2 }, to: 'end' },
    },
  })
  const [email, other] = await people('hand', 2)
  const { items } = await call('GET', `/api/contacts?email=${other}`)
  const contactId = items[0].id
  assert.equal((await call('POST', `/api/automations/${target}/enroll`, { contactIds: [contactId] })).accepted, 1)
  assert.deepEqual(await decidedOn(target, contactId), { contactId, verdict: 'refused', reason: 'mode' })
  const held = await automation({ enter: { on: [{ manual: true }] }, start: 'end', nodes: {} })
  const entered = await decidedOn(held, contactId, (attempt) => `visit-${attempt}`)
  assert.deepEqual(entered, { contactId, verdict: 'entered', reason: null })
  await call('POST', `/api/automations/${held}/pause`)
  const paced = await call('POST', `/api/automations/${held}/enroll`, { contactIds: [contactId], perMinute: 1 })
  assert.deepEqual(paced.verdicts, [{ contactId, verdict: 'waiting', reason: null }])
  const nobody = { name: 'Nobody', definition: '{"not":true,"rules":[]}' }
  const { id: segmentId } = await call('POST', '/api/segments', nobody)
  assert.deepEqual(await call('POST', `/api/automations/${held}/enroll`, { segmentId }), {
    accepted: 0,
    verdicts: null,
  })
  await record([{ action: 'source.began', email }])
  const inside = () => instance.sql('select from runs where automation_id = $1', [target])
  await eventually('both are in', async () => (await inside()).length === 2)
  await eventually('one has left', async () => (await endedOf(target)).length === 1)
  assert.deepEqual(await endedOf(target), [{ state: 'exited', reason: 'left', n: '1' }])
  assert.equal((await call('GET', `/api/contacts?email=${email}`)).items[0].customFields.stage, 'two')
  const [said] = await instance.sql<{ data: string }>(
    `select data::text as data from events where name = 'stage.reached'`,
  )
  assert.equal(JSON.parse(said!.data).n, 2)
  assert.equal(JSON.parse(said!.data).cause.depth, 1)
  const { items: runs } = await call('GET', `/api/automations/${target}/runs?contactId=${items[0].id}`)
  await call('POST', `/api/automations/${target}/runs/${runs[0].id}/exit`)
  await eventually('the other has left too', () => isEmpty(target))
  for (const act of ['exit', 'retry', 'skip']) {
    const path = `${instance.baseUrl}/api/automations/${target}/runs/${runs[0].id}/${act}`
    assert.equal((await send('POST', path, { token: instance.token })).status, 409, act)
  }
  for (const id of [target, leaver, source]) assert.deepEqual(await unequalSums(id), [])
})

test("who moves to another time zone, or becomes part of somebody in one, rests until its nine o'clock", async () => {
  const rest = { type: 'delay', days: 3, at: '09:00', to: 'end' }
  const manual = { class: 'service', enter: { on: [{ manual: true }] }, start: 'rest' }
  const id = await automation({ ...manual, nodes: { rest } })
  const exact = await automation({ ...manual, nodes: { rest: { type: 'delay', hours: 100, to: 'end' } } })
  const madeWith = async (email: string, more: object = {}) =>
    (await call('POST', '/api/contacts', { email, ...more })).id
  const [mover, part] = [await madeWith('mover@example.com'), await madeWith('part@example.com')]
  const whole = await madeWith('whole@example.com', { timeZone: 'Asia/Tokyo' })
  for (const one of [id, exact]) await call('POST', `/api/automations/${one}/enroll`, { contactIds: [mover, part] })
  const dueOf = async (of: string, contactId: string): Promise<string | null> => {
    const { items } = await call('GET', `/api/automations/${of}/runs?contactId=${contactId}`)
    return items[0]?.dueAt ?? null
  }
  const restsUntil = (contactId: string, time: string) =>
    eventually(
      `${contactId} rests until ${time} of UTC`,
      async () => (await dueOf(id, contactId))?.slice(11, 19) === time,
    )
  await restsUntil(mover, '09:00:00')
  await restsUntil(part, '09:00:00')
  await eventually('it rests', async () => (await dueOf(exact, mover)) !== null)
  const before = await dueOf(exact, mover)
  await call('PATCH', `/api/contacts/${mover}`, { timeZone: 'Pacific/Kiritimati' })
  await restsUntil(mover, '19:00:00')
  await call('PATCH', `/api/contacts/${mover}`, { timeZone: null })
  await restsUntil(mover, '09:00:00')
  await call('POST', `/api/contacts/${whole}/merge`, { contactId: part })
  await restsUntil(whole, '00:00:00')
  assert.equal(await dueOf(exact, mover), before, 'hours are the same in every zone')
})

test('a run that fails is parked where it failed, holds nobody up, and goes on tried again or past its node', async () => {
  const id = await automation({
    enter: { on: [{ event: 'risky.began' }] },
    start: 'rest',
    nodes: {
      // Long enough for the segment to be broken meanwhile.
      rest: { type: 'delay', seconds: 4, to: 'ask' },
      ask: {
        type: 'branch',
        ways: [{ if: { rules: [{ field: 'segment', operator: 'has', value: await segment() }] }, to: 'end' }],
        else: 'late',
      },
      late: { type: 'tag', add: ['unasked'], to: 'end' },
    },
  })
  // By no door: nobody can delete a segment that is asked for.
  const [kept] = await instance.sql<{ definition: string }>(`select definition from segments where name = 'Asked'`)
  await instance.sql(
    `update segments set definition = '{"rules":[{"field":"nonsense","operator":"=","value":"1"}]}' where name = 'Asked'`,
  )
  await record((await people('risk', 2)).map((email) => ({ action: 'risky.began', email })))
  const parked = async () => (await call('GET', `/api/automations/${id}/runs?state=parked`)).items
  await eventually('both are parked', async () => (await parked()).length === 2)
  const [other, one] = await parked()
  assert.match(one.error, /nonsense|field/)
  assert.deepEqual([one.node, other.node], ['ask', 'ask'])
  assert.equal((await call('GET', `/api/automations/${id}/counts`)).inside, 2)
  assert.deepEqual(await call('POST', `/api/automations/${id}/runs/${one.id}/skip`), { runs: 1 })
  await eventually('one is through', async () => (await parked()).length === 1 && (await endedOf(id)).length === 1)
  const { steps } = await call('GET', `/api/automations/${id}/runs/${one.id}`)
  const past = steps.find(({ node }: { node: string }) => node === 'ask')
  assert.deepEqual([past.way, past.next, past.seen], ['else', 'late', { skipped: 'by_hand' }])
  await instance.sql(`update segments set definition = $1 where name = 'Asked'`, [kept!.definition])
  assert.deepEqual(await call('POST', `/api/automations/${id}/parked/retry`, {}), { runs: 1 })
  await eventually('it is through', () => isEmpty(id))
  assert.deepEqual(await endedOf(id), [{ state: 'completed', reason: null, n: '2' }])
  assert.deepEqual(await unequalSums(id), [])
})

test('whatever character the values are cut at that a rule asked for, nobody is stuck by them', async () => {
  const id = await automation({
    enter: { on: [{ event: 'note.left' }] },
    start: 'ask',
    nodes: {
      ask: {
        ...{ type: 'branch', else: 'end' },
        ways: [{ if: { rules: [{ field: 'event.note', operator: '!=', value: 'none' }] }, to: 'end' }],
      },
    },
  })
  const [email] = await people('note', 1)
  // The trace keeps 200 characters of it; the 200th is the first half of an emoji.
  await record([{ action: 'note.left', email, properties: { note: `${'x'.repeat(199)}😀 and more` } }])
  const seen = async () => {
    const [run] = (await call('GET', `/api/automations/${id}/runs?limit=1`)).items
    if (!run) return undefined
    const { steps } = await call('GET', `/api/automations/${id}/runs/${run.id}`)
    return steps.find(({ node }: { node: string }) => node === 'ask')?.seen
  }
  await eventually('the step is taken', async () => (await seen()) !== undefined)
  assert.deepEqual((await seen()).values, { 'event.note': `${'x'.repeat(199)}…` })
  assert.deepEqual(await endedOf(id), [{ state: 'completed', reason: null, n: '1' }])
})

async function segment(): Promise<string> {
  const { id } = await call('POST', '/api/segments', { name: 'Asked', definition: '' })
  return id
}

test('a step tells the team: the first at once and by name, who comes soon after together, and nobody who is no member', async () => {
  const [owner] = await instance.sql<{ email: string }>('select email from users order by id limit 1')
  const id = await automation({
    enter: { on: [{ event: 'trial.began' }] },
    start: 'tell',
    nodes: { tell: { type: 'notify', subject: 'A trial', message: 'Plan {{ event.plan }}', to: 'end' } },
  })
  const emails = await people('trial', 30)
  const begin = (of: readonly string[]) =>
    record(of.map((email) => ({ action: 'trial.began', email, properties: { plan: 'pro' } })))
  const told = () =>
    instance.sql<{ recipient: string; subject: string }>(
      `select recipient, subject from system_mails where kind = 'team_notice' order by id`,
    )
  await begin(emails.slice(0, 1))
  await eventually('one mail', async () => (await told()).length === 1)
  assert.deepEqual(await told(), [{ recipient: owner!.email, subject: 'A trial' }])
  await begin(emails.slice(1))
  await eventually('everybody is through', async () => (await endedOf(id)).some(({ n }) => n === '30'))
  const [held] = await instance.sql<{ people: string }>('select sum(people) as people from automation_notices')
  assert.deepEqual([(await told()).length, held!.people], [1, '29'], 'held back for the digest')
  // As if the ten minutes were over.
  await instance.sql(`update automation_notice_paces set told_at = told_at - interval '1 hour'`)
  const last = await people('trial-last', 1)
  await begin(last)
  await eventually('the digest', async () => (await told()).length === 2)
  // The last one is among them, or the job was there first.
  assert.match((await told())[1]!.subject, /^A trial: (29|30) people$/)
  const [run] = (await call('GET', `/api/automations/${id}/runs?limit=1`)).items
  const trace = await call('GET', `/api/automations/${id}/runs/${run.id}`)
  assert.deepEqual(trace.steps.at(-1).seen, { members: 1 })
})

test('variables are set by steps and awaited events, and known to rules, mails and waits until the person is erased', async () => {
  const id = await automation({
    enter: { on: [{ event: 'quote.asked' }] },
    start: 'keep',
    nodes: {
      keep: { type: 'set', set: { quote: { event: 'quoteId' }, offer: 'early', when: '2020-01-01' }, to: 'answer' },
      answer: {
        ...{ type: 'wait', timeout: 'P1D', late: 'end' },
        for: [{ event: 'quote.answered', match: { quoteId: 'quoteId' }, set: { price: 'price' }, to: 'dear' }],
      },
      dear: {
        ...{ type: 'branch', else: 'end' },
        ways: [{ if: { rules: [{ field: 'var.price', operator: '>', value: 100 }] }, to: 'come' }],
      },
      come: { type: 'wait', for: [{ date: 'var.when', to: 'mail' }], timeout: 'P1D', late: 'end' },
      mail: {
        ...{ type: 'email', subject: '{{ var.quote }} {{ var.offer }} {{ var.price }}', body: MAIL.body, to: 'rest' },
      },
      rest: { type: 'delay', days: 1, to: 'end' },
    },
  })
  const [dear, cheap] = (await people('quote', 2)) as [string, string]
  const asked = (email: string, quoteId: string) => ({ action: 'quote.asked', email, properties: { quoteId } })
  const answered = (email: string, quoteId: string, price: number) => ({
    action: 'quote.answered',
    ...{ email, properties: { quoteId, price } },
  })
  await record([asked(dear, 'q1'), asked(cheap, 'q2'), answered(dear, 'q1', 250), answered(cheap, 'q2', 99)])
  await eventually('one mail', () => mailed('quote').length === 1)
  assert.equal(server.subjectOf(dear), 'q1 early 250')
  const waiting = async () => (await call('GET', `/api/automations/${id}/runs?state=waiting`)).items
  await eventually('the other is through', async () => (await waiting()).length === 1)
  const [run] = await waiting()
  const trace = await call('GET', `/api/automations/${id}/runs/${run.id}`)
  const variables = { quote: 'q1', offer: 'early', when: '2020-01-01', price: 250 }
  assert.deepEqual(trace.variables, variables)
  const [document] = [await call('GET', `/api/contacts/${run.contactId}/export`)]
  assert.deepEqual(document.automationRuns[0].variables, variables)
  const kept = () =>
    instance.sql<{ n: string }>(
      `select (select count(*) from runs where automation_id = $1 and variables is not null)
         + (select count(*) from run_steps where run_id = $2 and seen is not null) as n`,
      [id, run.id],
    )
  assert.ok(Number((await kept())[0]!.n) > 2)
  await call('DELETE', `/api/contacts/${run.contactId}`)
  assert.deepEqual(await kept(), [{ n: '0' }])
})

describe('a test on one person', () => {
  const draft = {
    enter: { on: [{ event: 'cart.updated', where: [{ property: 'shop', operator: '=', value: 'one' }] }] },
    exit: [{ event: 'order.paid' }],
    start: 'first',
    nodes: {
      first: { ...MAIL, subject: 'Hello {{ first_name }} of {{ event.shop }}', to: 'rest' },
      rest: { type: 'delay', days: 3, to: 'vip' },
      vip: {
        type: 'branch',
        ways: [{ if: { rules: [{ field: 'tag', operator: 'has', value: 'vip' }] }, to: 'thank' }],
        else: 'end',
      },
      thank: { ...MAIL, subject: 'For you alone', to: 'note' },
      note: { type: 'tag', add: ['thanked'], to: 'end' },
    },
  }
  const drafted = async () => {
    const { id } = await call('POST', '/api/automations', { name: 'Tested', definition: { format: 1, ...draft } })
    return id as string
  }
  const person = async (email: string) => {
    const { id } = await call('POST', '/api/contacts', { email, firstName: 'Grace' })
    await call('POST', `/api/contacts/${id}/tags`, { name: 'vip' })
    return id as string
  }

  test('sends the mails of their way to the team, as if three days were three seconds, and does nothing else', async () => {
    const [id, contactId] = [await drafted(), await person('tested@example.com')]
    const told = await call('POST', `/api/automations/${id}/test`, { contactId, email: 'Team-one@example.com' })
    assert.deepEqual(
      [told.contactId, told.destination, told.refused, told.end, told.skipped, told.notDone],
      [contactId, 'team-one@example.com', null, 'completed', [], [{ node: 'note', kind: 'tag' }]],
    )
    assert.deepEqual(
      told.mails.map(({ node, subject }: { node: string; subject: string }) => [node, subject]),
      [
        ['first', '[Test] Hello Grace of one'],
        ['thank', '[Test] For you alone'],
      ],
    )
    const [first, second] = told.mails
    assert.equal(Date.parse(second.sentFrom) - Date.parse(first.sentFrom), 3_000)
    assert.equal(Date.parse(second.at) - Date.parse(first.at), 3 * 86_400_000)
    await eventually('both mails', () => server.copies().get('team-one@example.com')?.length === 2)
    assert.deepEqual(mailed('tested'), [])
    const tags = await call('GET', `/api/contacts/${contactId}/tags`)
    assert.deepEqual(
      tags.items.map(({ name }: { name: string }) => name),
      ['vip'],
    )
    const { entered, inside, nodes } = await call('GET', `/api/automations/${id}/counts`)
    assert.deepEqual([entered, inside, nodes], [0, 0, []])
  })

  test('goes as what is given has it, and says why somebody does not come in', async () => {
    const id = await drafted()
    const test = (json: object) =>
      call('POST', `/api/automations/${id}/test`, { email: 'team-two@example.com', ...json })
    const cart = { event: 'cart.updated', data: { shop: 'one' } }
    const bought = await test({ given: [cart, { event: 'order.paid', at: 'PT1H' }] })
    assert.deepEqual([bought.contactId, bought.end, bought.mails.length], [null, 'criterion', 1])
    const other = await test({ given: [{ event: 'cart.updated', data: { shop: 'two' } }] })
    assert.deepEqual([other.refused, other.end, other.mails], ['filter', null, []])
    assert.equal((await test({ given: [{ event: 'page.view' }] })).refused, 'no_trigger')
    // With no body at all it is the sample person, and the owner who reads the mails.
    const alone = await call('POST', `/api/automations/${id}/test`)
    assert.deepEqual([alone.destination, alone.refused, alone.mails.length], [instance.email, null, 1])
  })

  test('goes to nobody outside the team without emails:send, and names what is wrong', async () => {
    const id = await drafted()
    const { token } = await call('POST', '/api/auth/tokens', { name: 'Writer', scopes: ['automations:write'] })
    const refusal = async (json: object) => {
      const answer = await send('POST', `${instance.baseUrl}/api/automations/${id}/test`, { token, json })
      return [answer.status, answer.json.errors?.[0]?.pointer ?? answer.json.detail]
    }
    assert.deepEqual(await refusal({ email: 'stranger@example.com' }), [422, '/email'])
    assert.deepEqual(await refusal({ email: 'nowhere' }), [400, '/email'])
    assert.deepEqual(await refusal({ contactId: '1' }), [403, 'The token needs the scope contacts:read.'])
    assert.deepEqual(await refusal({ given: [{ event: 'cart.updated', data: 5 }] }), [422, '/given/0/data'])
    assert.deepEqual(await refusal({ given: [] }), [400, '/given'])
    const answer = await send('POST', `${instance.baseUrl}/api/automations/${id}/test`, {
      token,
      json: { email: instance.email },
    })
    assert.equal(answer.status, 202, answer.text)
    const unknown = { token: instance.token, json: { contactId: '99999999999999999999' } }
    assert.equal((await send('POST', `${instance.baseUrl}/api/automations/${id}/test`, unknown)).status, 422)
  })
})
