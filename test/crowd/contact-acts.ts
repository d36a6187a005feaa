import type { Acts } from './acts.ts'
import type { Doer } from './doer.ts'
import { idOf, keep } from './slots.ts'
import { ADDRESSES, SUBJECTS, TAGS } from './world.ts'

const PEOPLE_MAX = 8
const EXPORTED = ['id', 'subjectId', 'tags']

const person = (who: Doer) => idOf(who, 'people')
const address = (who: Doer) => who.pick(ADDRESSES)
const newcomer = (who: Doer) => ({
  ...who.pick<object>([
    { email: address(who) },
    { subjectId: who.pick(SUBJECTS) },
    { email: address(who), subjectId: who.pick(SUBJECTS) },
  ]),
  ...(who.chance(30) ? { firstName: who.pick(['Ada', 'Grace', 'Emmy']) } : {}),
  ...(who.chance(20) ? { tags: [who.pick(TAGS)] } : {}),
})
const rule = (who: Doer) =>
  who.pick([
    { field: 'tag', operator: 'has', value: who.pick(TAGS) },
    { field: 'firstName', operator: 'notNull' },
    { field: 'email', operator: 'contains', value: who.pick(['p1', 'p2', 'crowd']) },
  ])
const segment = (who: Doer) => JSON.stringify({ combinator: 'and', rules: [rule(who)] })
const some = (who: Doer) =>
  who.pick<object>([{ filter: {} }, { filter: { tag: who.pick(TAGS) } }, { contactIds: [person(who), person(who)] }])

export const contactActs: Acts = {
  create: {
    weight: 4,
    run: async (who) =>
      keep(who, 'people', { answer: await who.call('POST', '/contacts', newcomer(who)), max: PEOPLE_MAX }),
  },
  upsert: {
    weight: 4,
    run: async (who) =>
      keep(who, 'people', { answer: await who.call('PUT', '/contacts', newcomer(who)), max: PEOPLE_MAX }),
  },
  batch: {
    run: (who) =>
      who.call('POST', '/contacts/batch', { contacts: [newcomer(who), newcomer(who), newcomer(who)] }, { door: 'api' }),
  },
  change: {
    weight: 4,
    run: (who) =>
      who.call('PATCH', `/contacts/${person(who)}`, {
        firstName: who.pick(['Ada', 'Grace', null]),
        customFields: { plan: who.pick(['a', 'b']) },
      }),
  },
  exportPerson: { run: (who) => who.call('GET', `/contacts/${person(who)}/export`) },
  moveAddress: { run: (who) => who.call('PATCH', `/contacts/${person(who)}`, { email: address(who) }) },
  erase: { run: (who) => who.call('DELETE', `/contacts/${person(who)}`) },
  merge: { weight: 4, run: (who) => who.call('POST', `/contacts/${person(who)}/merge`, { contactId: person(who) }) },
  tag: { weight: 4, run: (who) => who.call('POST', `/contacts/${person(who)}/tags`, { name: who.pick(TAGS) }) },
  untag: { weight: 3, run: (who) => who.call('DELETE', `/contacts/${person(who)}/tags/${who.pick(TAGS)}`) },
  renameTag: { weight: 1, run: (who) => who.call('PATCH', `/tags/${idOf(who, 'tags')}`, { name: who.pick(TAGS) }) },
  deleteTag: { weight: 1, run: (who) => who.call('DELETE', `/tags/${idOf(who, 'tags')}`) },
  createTag: {
    weight: 1,
    run: async (who) =>
      keep(who, 'tags', { answer: await who.call('POST', '/tags', { name: who.pick(TAGS) }), max: TAGS.length }),
  },
  bulkTag: {
    run: async (who) => {
      const body = { act: who.pick(['tag', 'untag']), tag: who.pick(TAGS), ...some(who) }
      return keep(who, 'bulkActs', { answer: await who.call('POST', '/contacts/bulk-acts', body), max: 2 })
    },
  },
  bulkErase: {
    weight: 1,
    run: async (who) => {
      const body = { contactIds: [person(who), person(who)], expectedCount: 2 }
      return keep(who, 'bulkActs', { answer: await who.call('POST', '/contacts/bulk-acts/erase', body), max: 2 })
    },
  },
  cancelBulkAct: { weight: 1, run: (who) => who.call('POST', `/contacts/bulk-acts/${idOf(who, 'bulkActs')}/cancel`) },
  undoBulkAct: { weight: 1, run: (who) => who.call('POST', `/contacts/bulk-acts/${idOf(who, 'bulkActs')}/undo`) },
  import: {
    weight: 2,
    run: async (who) => {
      const rows = ADDRESSES.map(
        (email, n) => `${email},${who.pick(['Ada', 'Grace', ''])},${who.chance(20) ? SUBJECTS[n] : ''}`,
      )
      const csv = `email,firstName,subjectId\n${rows.join('\n')}\n`
      const answer = keep(who, 'imports', { answer: await who.call('POST', '/contacts/imports', { csv }), max: 2 })
      if (answer.status >= 300 || who.chance(10)) return
      const start = { tags: who.chance(50) ? [who.pick(TAGS)] : [], mode: who.pick(['fill', 'overwrite']) }
      await who.call('POST', `/contacts/imports/${answer.json.id}/start`, start)
    },
  },
  cancelImport: { weight: 1, run: (who) => who.call('POST', `/contacts/imports/${idOf(who, 'imports')}/cancel`) },
  deleteImport: { weight: 1, run: (who) => who.call('DELETE', `/contacts/imports/${idOf(who, 'imports')}`) },
  export: {
    weight: 2,
    run: async (who) => {
      const body = who.chance(80) ? { columns: EXPORTED } : { columns: EXPORTED, filter: { tag: who.pick(TAGS) } }
      return keep(who, 'exports', { answer: await who.call('POST', '/contacts/exports', body), max: 3 })
    },
  },
  readExport: {
    weight: 3,
    run: async (who) => {
      const id = idOf(who, 'exports')
      const { status, text } = await who.call('GET', `/contacts/exports/${id}/file`)
      if (status === 200) who.world.exported.set(id, text)
    },
  },
  createSegment: {
    weight: 1,
    run: async (who) => {
      const body = { name: `s${who.random()}`, definition: segment(who) }
      return keep(who, 'segments', { answer: await who.call('POST', '/segments', body), max: 2 })
    },
  },
  changeSegment: {
    run: (who) => who.call('PATCH', `/segments/${idOf(who, 'segments')}`, { definition: segment(who) }),
  },
  deleteSegment: { weight: 1, run: (who) => who.call('DELETE', `/segments/${idOf(who, 'segments')}`) },
  renameField: {
    weight: 1,
    run: (who) => who.call('PATCH', `/custom-fields/${idOf(who, 'fields')}`, { name: who.pick(['Plan', 'Tariff']) }),
  },
  deleteField: { weight: 1, run: (who) => who.call('DELETE', `/custom-fields/${idOf(who, 'fields')}`) },
  createField: {
    weight: 1,
    run: async (who) =>
      keep(who, 'fields', {
        answer: await who.call('POST', '/custom-fields', { key: 'plan', type: 'string' }),
        max: 1,
      }),
  },
}
