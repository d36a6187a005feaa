import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type Contact, FORMS, type Form, identityWorld, type Says } from './testing.ts'

const world = await identityWorld()
after(() => world.stop())
const { visitor, name, address, phone, contact, said, someone, shown, everybody, boundTo, conflicts } = world

/** A visitor, what is said of it, contacts that are there: M is known by it, B is the one the visitor is bound to, `other` one more. */
type Scene = { v: string; says: Says; m?: Contact; b?: Contact; other?: Contact }
/** Which visitor it is to go on with, whom that is bound to, what of that contact's is seen, and what is noted about it. */
type Outcome = {
  visitor: 'same' | 'another'
  person: 'new' | 'M' | 'B' | 'nobody'
  shows?: Partial<Contact>
  conflicts?: string[]
}
type Row = { name: string; scene: (form: Form) => Promise<Scene> } & Partial<Record<Form, (scene: Scene) => Outcome>>

const same = (person: Outcome['person'], shows?: Partial<Contact>, conflicts?: string[]): Outcome => {
  return { visitor: 'same', person, ...(shows && { shows }), ...(conflicts && { conflicts }) }
}
const another = (person: Outcome['person'], shows?: Partial<Contact>, conflicts?: string[]): Outcome => {
  return { ...same(person, shows, conflicts), visitor: 'another' }
}
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
]

for (const { name: caseName, scene, ...outcomes } of TABLE) {
  for (const form of FORMS) {
    const expect = outcomes[form]
    if (expect === undefined) continue
    test(`${caseName} (${form})`, async () => {
      const set = await scene(form)
      const before = await everybody()
      const { visitor: which, person, shows, conflicts: kinds = [] } = expect(set)
      const own = await said(form, set.v, set.says)
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
      assert.deepEqual(
        after.filter((one) => one.id !== id),
        before.filter((one) => one.id !== id),
      )
      if (which === 'another' && set.b) assert.equal(await boundTo(set.v), set.b.id, 'for life')
      const noted = (id === null ? [] : await conflicts(id)).map(([kind]) => kind)
      assert.deepEqual(noted, kinds)
      // Said again, it is the same visitor.
      assert.equal(await said(form, set.v, set.says), own)
    })
  }
}
