import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { NO_FORMS } from '../../../test/support/no-forms.ts'
import type { Proof } from '../../catalogue/proofs.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { contactOfSignUp } from '../forms/contact-of-sign-up.ts'
import { erasePerson } from '../personal-data/erase-person.ts'
import { mergeContacts } from '../personal-data/merge-contacts.ts'
import { takeTurnOfVisitor } from '../visitors/turn-of-visitor.ts'
import { createBindConfirmed } from './bind-confirmed.ts'
import { createLandings } from './land-visitor.ts'
import { type Contact, FORMS, type Form, identityWorld, type Says, SHOP } from './testing.ts'

const world = await identityWorld()
after(() => world.stop())
const { sql, workspaceId, caller, deps, merging, query, post, identified, toldJoining } = world
const { visitor, name, address, phone, contact, said, someone, shown, everybody, boundTo, conflicts } = world

/** A visitor, what is said of it, contacts that are there: M is known by it, B is the one the visitor is bound to, `other` one more. */
type Scene = { v: string; says: Says; m?: Contact; b?: Contact; other?: Contact }
/** Which visitor it is to go on with, whom that is bound to, what of that contact's is seen, and what is noted about it. */
type Outcome = {
  visitor: 'same' | 'another'
  person: 'new' | 'M' | 'B' | 'nobody'
  shows?: Partial<Contact>
  conflicts?: string[]
  /** How well it is proven. */
  proof?: Proof
  /** Whether B is no more. */
  isGone?: boolean
}
type Row = {
  name: string
  scene: (form: Form) => Promise<Scene>
  /** Something else than that the page states what is said; answers the visitor to go on with. */
  act?: (scene: Scene, form: Form) => Promise<string>
} & Partial<Record<Form, (scene: Scene) => Outcome>>

const same = (person: Outcome['person'], shows?: Partial<Contact>, conflicts?: string[]): Outcome => {
  return { visitor: 'same', person, ...(shows && { shows }), ...(conflicts && { conflicts }) }
}
const another = (person: Outcome['person'], shows?: Partial<Contact>, conflicts?: string[]): Outcome => {
  return { ...same(person, shows, conflicts), visitor: 'another' }
}
const bindConfirmed = createBindConfirmed(deps)
/** A form that was filled in in a visitor's browser is confirmed by the mail that it brought. */
async function confirmed(visitorId: string, email: string): Promise<void> {
  await inTransaction(sql, workspaceId, async (tx) => {
    await takeTurnOfVisitor(tx, workspaceId, visitorId)
    const filledIn = { email, firstName: null, lastName: null, phone: null, customFields: {} }
    const contactId = await contactOfSignUp(tx, workspaceId, filledIn)
    await bindConfirmed(tx, workspaceId, { visitorId, contactId, email })
  })
}

async function confirms({ v, says }: Scene): Promise<string> {
  await confirmed(v, says.email!)
  return v
}

const addressOf = createLandings({ sql, keys: deps.linkKeys })
/** Where a link of a mail to somebody leads. */
async function linkTo({ id, email }: Contact, url = `${SHOP}/sale?size=m#top`): Promise<string> {
  const [message] = await query<{ id: string }>(
    `insert into messages (workspace_id, purpose, source_kind, contact_id, destination)
     values ($1, 'transactional', 'email', $2, $3) returning id`,
    [id, email],
  )
  return addressOf({ workspaceId, messageId: message!.id, url })
}
async function proofOf(visitorId: string): Promise<string | undefined> {
  const text = 'select proof from visitors where workspace_id = $1 and visitor_id = $2'
  return (await query<{ proof: string }>(text, [visitorId]))[0]?.proof
}
const tokenIn = (url: string) => new URL(url).searchParams.get('pr_link')!
/** Follows a link of a mail to M, in the browser of the visitor. */
const clicks = async ({ v, m }: Scene) => toldJoining(v, { link: tokenIn(await linkTo(m!)) })

/** The identity cases of the specification, each in both forms where it has both. */
const TABLE: readonly Row[] = [
  {
    name: '1: nobody has the aliases',
    scene: async () => ({ v: visitor(), says: { sub: name(), email: address(), traits: { firstName: 'Ada' } } }),
    signed: ({ says }) =>
      same('new', { subjectId: says.sub!, email: says.email!, firstName: 'Ada', isUnproven: false }),
    unsigned: ({ says }) => same('new', { subjectId: null, email: says.email!, firstName: 'Ada', isUnproven: true }),
  },
  {
    name: '1: an id of the workspace alone',
    scene: async () => ({ v: visitor(), says: { sub: name() } }),
    signed: ({ says }) => same('new', { subjectId: says.sub!, isUnproven: false }),
    unsigned: () => same('nobody'),
  },
  {
    name: '2: somebody has them',
    async scene() {
      const email = address()
      const m = await contact({ email, firstName: 'Old' })
      return { v: visitor(), says: { sub: name(), email, traits: { firstName: 'New' } }, m }
    },
    signed: ({ says }) => same('M', { subjectId: says.sub!, firstName: 'New' }),
    unsigned: () => same('nobody'),
  },
  {
    name: '2: somebody has them, whom the visitor was claimed for',
    async scene() {
      const email = address()
      const m = await contact({ email })
      const v = await said('unsigned', visitor(), { email })
      return { v, says: { email }, m }
    },
    signed: () => same('M'),
    unsigned: () => same('nobody'),
  },
  {
    name: '3: the same person again',
    async scene(form) {
      const email = address()
      const { v, b } = await someone(form, { email, traits: { firstName: 'Ada' } })
      return { v, b, says: { email, traits: { firstName: 'Eve', lastName: 'Lovelace' } } }
    },
    signed: () => same('B', { firstName: 'Eve', lastName: 'Lovelace' }),
    unsigned: () => same('B', { firstName: 'Ada', lastName: 'Lovelace', isUnproven: true }),
  },
  {
    name: '3: the same person again, who is known for certain',
    async scene() {
      const email = address()
      const { v, b } = await someone('signed', { email })
      return { v, b, says: { email, traits: { firstName: 'Eve' } } }
    },
    unsigned: () => same('B', { firstName: null, isUnproven: false }),
  },
  {
    name: '4: with an alias more',
    async scene(form) {
      const email = address()
      const { v, b } = await someone(form, { email })
      return { v, b, says: { email, phone: phone() } }
    },
    signed: ({ says }) => same('B', { phone: says.phone! }),
    unsigned: ({ says }) => same('B', { phone: says.phone! }),
  },
  {
    name: '4: with an alias more that another contact has',
    async scene(form) {
      const [email, taken] = [address(), phone()]
      const { v, b } = await someone(form, { email })
      return { v, b, says: { email, phone: taken }, other: await contact({ phone: taken }) }
    },
    signed: () => same('B', { phone: null }, ['aliases-disagree']),
    unsigned: () => same('B', { phone: null }),
  },
  {
    name: '4: an id of the workspace for whom a page has made: the address is as unproven as it was',
    async scene() {
      const { v, b } = await someone('unsigned', { email: address() })
      return { v, b, says: { sub: name() } }
    },
    signed: ({ says, b }) => same('B', { subjectId: says.sub!, email: b!.email, isUnproven: true }),
  },
  {
    name: '4: the address that a page has stated is signed',
    async scene() {
      const { v, b } = await someone('unsigned', { email: address() })
      return { v, b, says: { sub: name(), email: b.email! } }
    },
    signed: ({ says }) => same('B', { subjectId: says.sub!, isUnproven: false }),
  },
  {
    name: '5: another address',
    async scene(form) {
      return { ...(await someone(form, { email: address() })), says: { email: address() } }
    },
    signed: ({ says }) => another('new', { email: says.email! }),
    unsigned: ({ says }) => another('new', { email: says.email!, isUnproven: true }),
  },
  {
    name: '5: another person, who is known',
    async scene(form) {
      const m = await contact({ subjectId: name(), email: address() })
      return { ...(await someone(form, { email: address() })), m, says: { sub: m.subjectId! } }
    },
    signed: ({ m }) => another('M', { email: m!.email }),
    unsigned: () => another('nobody'),
  },
  {
    name: '6: a page has made a contact, and it is somebody who is known',
    async scene() {
      const m = await contact({ subjectId: name(), email: address() })
      return { ...(await someone('unsigned', { email: address() })), m, says: { sub: m.subjectId!, email: m.email! } }
    },
    signed: () => another('M', {}, ['possible-duplicate']),
    unsigned: () => another('nobody'),
  },
  {
    name: '6: the same, where contacts may be joined, and what the page said is signed',
    async scene() {
      const m = await contact({ subjectId: name() })
      const { v, b } = await someone('unsigned', { email: address() })
      return { v, b, m, says: { sub: m.subjectId!, email: b.email! } }
    },
    async act({ v, says }) {
      await toldJoining(v, says)
      return v
    },
    signed: ({ b }) => ({ ...same('M', { email: b!.email, isUnproven: false }), isGone: true }),
  },
  {
    // An address that the page alone has said is anybody's: merged, it would be the customer's, and its mails theirs.
    name: '6: the same, where contacts may be joined, but the server does not know of the address',
    async scene() {
      const m = await contact({ subjectId: name() })
      return { ...(await someone('unsigned', { email: address() })), m, says: { sub: m.subjectId! } }
    },
    act: ({ v, says }) => toldJoining(v, says),
    signed: () => another('M', { email: null }, ['possible-duplicate']),
  },
  {
    name: '6: the same, where contacts may be joined, but the server signs one of two aliases',
    async scene() {
      const m = await contact({ subjectId: name() })
      const { v, b } = await someone('unsigned', { email: address(), phone: phone() })
      return { v, b, m, says: { sub: m.subjectId!, email: b.email! } }
    },
    act: ({ v, says }) => toldJoining(v, says),
    signed: () => another('M', { email: null }, ['aliases-disagree', 'possible-duplicate']),
  },
  {
    name: '6: the same, where contacts may be joined, but have two addresses',
    async scene() {
      const m = await contact({ subjectId: name(), email: address() })
      return { ...(await someone('unsigned', { email: address() })), m, says: { sub: m.subjectId! } }
    },
    act: ({ v, says }) => toldJoining(v, says),
    signed: ({ m }) => another('M', { email: m!.email }, ['possible-duplicate']),
  },
  {
    name: '7: the id and the address are two people’s',
    async scene() {
      const m = await contact({ subjectId: name() })
      const other = await contact({ email: address() })
      return { v: visitor(), says: { sub: m.subjectId!, email: other.email! }, m, other }
    },
    signed: () => same('M', { email: null }, ['aliases-disagree']),
    unsigned: () => same('nobody'),
  },
  {
    name: '8: somebody has another address, which is free',
    async scene() {
      const m = await contact({ subjectId: name(), email: address() })
      return { v: visitor(), says: { sub: m.subjectId!, email: address() }, m }
    },
    signed: ({ says }) => same('M', { email: says.email! }),
    unsigned: () => same('nobody'),
  },
  {
    name: '9: somebody has another address, which is another’s',
    async scene() {
      const m = await contact({ subjectId: name(), email: address() })
      const other = await contact({ email: address() })
      return { v: visitor(), says: { sub: m.subjectId!, email: other.email! }, m, other }
    },
    signed: ({ m }) => same('M', { email: m!.email }, ['alias-taken']),
    unsigned: () => same('nobody'),
  },
  {
    name: 'an address of somebody with another id makes nobody that person',
    async scene() {
      const other = await contact({ subjectId: name(), email: address() })
      return { v: visitor(), says: { sub: name(), email: other.email! }, other }
    },
    signed: ({ says }) => same('new', { subjectId: says.sub!, email: null }, ['aliases-disagree']),
    unsigned: () => same('nobody'),
  },
  {
    name: '11: after a reset there is another visitor, and the one before stays whose it was',
    async scene(form) {
      const { b } = await someone(form, { email: address() })
      return { v: visitor(), says: { email: address() }, b }
    },
    signed: ({ says }) => same('new', { email: says.email! }),
    unsigned: ({ says }) => same('new', { email: says.email! }),
  },
  {
    name: '12: two tabs at once',
    scene: async () => ({ v: visitor(), says: { email: address() } }),
    async act({ v, says }, form) {
      const given = await Promise.all([said(form, v, says), said(form, v, says), said(form, v, says)])
      assert.deepEqual(new Set(given), new Set([v]))
      return v
    },
    signed: ({ says }) => same('new', { email: says.email! }),
    unsigned: ({ says }) => same('new', { email: says.email! }),
  },
  {
    name: '13: a form is confirmed that was filled in in this browser',
    scene: async () => ({ v: visitor(), says: { email: address() } }),
    act: confirms,
    signed: ({ says }) => ({ ...same('new', { email: says.email!, isUnproven: false }), proof: 'confirmed' }),
  },
  {
    name: '13: a form is confirmed by somebody who is known, and whom the page had claimed',
    async scene() {
      const m = await contact({ email: address() })
      return { v: await said('unsigned', visitor(), { email: m.email! }), says: { email: m.email! }, m }
    },
    act: confirms,
    signed: () => ({ ...same('M'), proof: 'confirmed' }),
  },
  {
    name: '13: a form is confirmed by whom the page had made',
    async scene() {
      const email = address()
      return { ...(await someone('unsigned', { email })), says: { email } }
    },
    act: confirms,
    signed: () => ({ ...same('B', { isUnproven: false }), proof: 'confirmed' }),
  },
  {
    name: '13: a form is confirmed by whom the server had signed: nothing is better',
    async scene() {
      const email = address()
      return { ...(await someone('signed', { email })), says: { email } }
    },
    act: confirms,
    signed: () => ({ ...same('B'), proof: 'signed' }),
  },
  {
    name: '13: a form is confirmed by somebody else than the browser is of',
    async scene(form) {
      const m = await contact({ email: address() })
      return { ...(await someone(form, { email: address() })), says: { email: m.email! }, m }
    },
    async act({ v, says }) {
      await confirmed(v, says.email!)
      return identified(v, { email: says.email! })
    },
    signed: () => ({ ...another('M'), proof: 'confirmed' }),
    unsigned: () => ({ ...another('M'), proof: 'confirmed' }),
  },
  {
    name: '14: a link of our mail is followed',
    scene: async () => ({ v: visitor(), says: {}, m: await contact({ email: address() }) }),
    act: clicks,
    signed: ({ m }) => ({ ...same('M', m!), proof: 'link' }),
  },
  {
    name: '14: a link of our mail is followed in somebody’s browser',
    scene: async (form) => ({
      ...(await someone(form, { email: address() })),
      says: {},
      m: await contact({ email: address() }),
    }),
    act: clicks,
    signed: () => ({ ...same('B'), proof: 'signed' }),
    unsigned: () => ({ ...same('B'), proof: 'claimed' }),
  },
  {
    name: '14: a link of our mail is followed in a browser that is claimed for somebody else',
    async scene() {
      const other = await contact({ email: address() })
      const v = await said('unsigned', visitor(), { email: other.email! })
      return { v, says: {}, m: await contact({ email: address() }) }
    },
    act: clicks,
    signed: () => same('nobody'),
  },
  {
    name: '14: a link of our mail is followed to a tracker that does not ask whose it was',
    scene: async () => ({ v: visitor(), says: {}, m: await contact({ email: address() }) }),
    async act({ v, m }) {
      return identified(v, { link: tokenIn(await linkTo(m!)) })
    },
    signed: () => same('nobody'),
  },
  {
    name: '15: contacts are merged by the workspace',
    scene: async (form) => ({
      ...(await someone(form, { email: address() })),
      says: {},
      m: await contact({ subjectId: name() }),
    }),
    async act({ v, b, m }) {
      await mergeContacts(merging, caller, { id: m!.id, otherId: b!.id })
      return v
    },
    signed: ({ b }) => ({ ...same('M', { email: b!.email }), proof: 'signed', isGone: true }),
    unsigned: ({ b }) => ({ ...same('M', { email: b!.email, isUnproven: true }), proof: 'claimed', isGone: true }),
  },
  {
    name: '16: a contact was erased, and its browser says who is before it',
    async scene(form) {
      const { v, b } = await someone(form, { email: address() })
      await erasePerson({ ...merging, forms: NO_FORMS }, caller, { id: b.id })
      return { v, says: { email: address() } }
    },
    signed: ({ says }) => another('new', { email: says.email! }),
    unsigned: ({ says }) => another('new', { email: says.email! }),
  },
  {
    name: '17: the fifty-first visitor of a contact',
    async scene() {
      const m = await contact({ subjectId: name() })
      await query(
        `insert into visitors (workspace_id, visitor_id, contact_id, proof, last_seen)
         select $1, $2 || n, $2::bigint, 'signed', current_date - n from generate_series(1, 50) n`,
        [m.id],
      )
      return { v: visitor(), says: { sub: m.subjectId! }, m }
    },
    async act({ v, says, m }, form) {
      const given = await said(form, v, says)
      const bound = await query('select from visitors where workspace_id = $1 and contact_id = $2', [m!.id])
      assert.equal(bound.length, 50)
      assert.equal(await boundTo(`${m!.id}50`), form === 'signed' ? null : m!.id, 'the oldest goes, for one that comes')
      return given
    },
    signed: () => same('M'),
    unsigned: () => same('nobody'),
  },
  {
    name: '18: an event that was queued before a reset or a login is of the visitor it says',
    scene: async (form) => ({ ...(await someone(form, { email: address() })), says: {} }),
    async act({ v, b }, form) {
      const after = visitor()
      const events = [{ id: 'before', action: `queued.${form}`, visitorId: v }]
      const answer = await post('events', {
        ...{ sentAt: new Date().toISOString(), consent: 'granted', visitorId: after, events },
      })
      assert.equal(answer.statusCode, 204)
      const rows = await query(
        'select visitor_id as v, contact_id as c from outbox where workspace_id = $1 and name = $2',
        [`queued.${form}`],
      )
      assert.deepEqual(rows, [{ v, c: b!.id }])
      return v
    },
    signed: () => same('B'),
    unsigned: () => same('B'),
  },
]

for (const { name: caseName, scene, act, ...outcomes } of TABLE) {
  for (const form of FORMS) {
    const expect = outcomes[form]
    if (expect === undefined) continue
    test(`${caseName} (${form})`, async () => {
      const set = await scene(form)
      const before = await everybody()
      const { visitor: which, person, shows, conflicts: kinds = [], proof, isGone = false } = expect(set)
      const own = await (act ?? (({ v, says }) => said(form, v, says)))(set, form)
      assert.equal(own === set.v, which === 'same')
      const id = await boundTo(own)
      if (person === 'new') assert.ok(id !== null && !before.some((one) => one.id === id), 'a new contact')
      else assert.equal(id, { M: set.m?.id, B: set.b?.id, nobody: null }[person])
      if (id !== null) {
        const now = await shown(id)
        assert.deepEqual({ ...now, ...shows }, now)
      }
      // Of everybody else nothing has changed.
      const after = await everybody()
      const isOther = (one: { id: string }) => one.id !== id && !(isGone && one.id === set.b?.id)
      assert.deepEqual(after.filter(isOther), before.filter(isOther))
      if (proof) assert.deepEqual(await proofOf(own), proof)
      if (which === 'another' && set.b) assert.equal(await boundTo(set.v), set.b.id, 'for life')
      const noted = (id === null ? [] : await conflicts(id)).map(([kind]) => kind)
      assert.deepEqual(noted, kinds)
      // Said again, it is the same visitor.
      if (act === undefined) assert.equal(await said(form, set.v, set.says), own)
    })
  }
}

for (const form of FORMS) {
  test(`10: junk names nobody (${form})`, async () => {
    const v = visitor()
    for (const junk of ['', 'null', 'undefined', 'anonymous', 'guest', '[object Object]', '0', 'x']) {
      const own = form === 'signed' ? { token: world.sign({ sub: junk }) } : { subjectId: junk }
      assert.equal((await post('identify', { visitorId: v, ...own })).statusCode, 422, junk)
    }
    assert.equal(await boundTo(v), null)
  })
}

test('13: who has confirmed an address learns no other alias of its contact by guessing', async () => {
  const m = await contact({ subjectId: name(), email: address(), phone: phone() })
  const v = visitor()
  await confirmed(v, m.email!)
  assert.deepEqual([await boundTo(v), await proofOf(v)], [m.id, 'confirmed'])
  for (const [right, wrong] of [
    [{ phone: m.phone }, { phone: phone() }],
    [{ subjectId: m.subjectId }, { subjectId: name() }],
  ]) {
    for (const guess of [right!, wrong!]) {
      assert.notEqual(await identified(v, guess), v)
      assert.equal(await identified(v, { email: m.email, ...guess }), v)
    }
  }
})

test('14: a page learns by its address alone which mail led to it, for an hour, and no page of others does', async () => {
  const m = await contact({ email: address() })
  const url = await linkTo(m)
  assert.match(url, /^https:\/\/shop\.example\/sale\?size=m&pr_link=[\w-]+#top$/)
  assert.equal(tokenIn(url).includes(m.id), false)
  for (const foreign of ['https://elsewhere.example/sale', 'https://shop.example.evil.example/']) {
    assert.equal(await linkTo(m, foreign), foreign)
  }
  const [message] = await query<{ id: string }>('select max(id) as id from messages where workspace_id = $1')
  const click = { workspaceId, messageId: message!.id, url: SHOP }
  const late = createLandings({ sql, keys: deps.linkKeys, nowMs: () => Date.now() - 3_700_000 })
  for (const token of [tokenIn(await late(click)), 'made-up', `${tokenIn(url)}x`]) {
    const v = visitor()
    assert.equal(await toldJoining(v, { link: token }), v)
    assert.equal(await boundTo(v), null, token)
  }
  const stuck = { ...sql, connect: () => new Promise(() => undefined) } as never
  assert.equal(
    await createLandings({ sql: stuck, keys: deps.linkKeys })(click),
    SHOP,
    'soon, whatever the database does',
  )
  // A test of a mail goes to somebody else than it is written for.
  await query(`update messages set destination = 'colleague@example.com' where workspace_id = $1 and id = $2`, [
    message!.id,
  ])
  const v = visitor()
  await toldJoining(v, { link: tokenIn(await addressOf(click)) })
  assert.equal(await boundTo(v), null)
})
