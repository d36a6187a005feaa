import { type Static, Type } from 'typebox'
import { valueText } from '../../platform/json/value-text.ts'
import { once } from '../../platform/once.ts'
import type { Mapping } from '../imports/mapping.ts'
import { mailAsLiquid } from './as-liquid.ts'
import { apiOf, type Get, type Way } from './ask-api.ts'
import { fromBrevoTemplate } from './brevo-template.ts'
import { draftName, type LeftOut, type MovedPage, nameOf, type OptOut, type ReadPage, type Service } from './moved.ts'
import { attributesHere, attributeTargets, PERSON_MAPPING, type Person, personRows } from './person-rows.ts'
import { inParts, numbered } from './read-parts.ts'

const maybe = <T extends Parameters<typeof Type.Optional>[0]>(schema: T) =>
  Type.Optional(Type.Union([schema, Type.Null()]))
/** A list that is empty is not in the answer at all. */
const some = <T extends Parameters<typeof Type.Array>[0]>(item: T) => maybe(Type.Array(item))

const Contact = Type.Object({
  id: Type.Integer(),
  email: maybe(Type.String()),
  emailBlacklisted: Type.Boolean(),
  listIds: some(Type.Integer()),
  listUnsubscribed: some(Type.Integer()),
  attributes: maybe(Type.Record(Type.String(), Type.Unknown())),
})
const Contacts = Type.Object({ contacts: some(Contact), count: Type.Integer() })
const List = Type.Object({ id: Type.Integer(), name: Type.String() })
const Lists = Type.Object({ lists: some(List), count: maybe(Type.Integer()) })
const Attribute = Type.Object({
  name: Type.String(),
  category: Type.String(),
  enumeration: some(Type.Object({ value: Type.Integer(), label: Type.String() })),
})
const Attributes = Type.Object({ attributes: some(Attribute) })
const Blocked = Type.Object({ email: Type.String(), reason: maybe(Type.Object({ code: Type.String() })) })
const BlockedContacts = Type.Object({ contacts: some(Blocked), count: maybe(Type.Integer()) })
const Mail = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  subject: maybe(Type.String()),
  subjectA: maybe(Type.String()),
  htmlContent: maybe(Type.String()),
})
const Templates = Type.Object({ templates: some(Mail), count: maybe(Type.Integer()) })
const Campaigns = Type.Object({ campaigns: some(Mail), count: maybe(Type.Integer()) })

const CONTACTS_PER_PAGE = 500
const LISTS_PER_PAGE = 50
const BLOCKED_PER_PAGE = 100
const MAILS_PER_PAGE = 50
const FILE = 'contacts'
/** Attributes that are the service's own and say whether somebody agreed. */
const OPT_INS: ReadonlySet<string> = new Set(['DOUBLE_OPT-IN', 'OPT_IN'])
const YES = /^(?:1|yes|true)$/i
const DATE = /^\d{4}-\d{2}-\d{2}/

export const BREVO: Service = { name: 'Brevo', mapping: () => PERSON_MAPPING }
export const BREVO_ADDRESS = 'https://api.brevo.com/v3'

/**
 * Reads an account of Brevo. A list becomes a tag of those who are on it. Being on a list is no consent; a confirmation, or the
 * attribute `OPT_IN`, is. Somebody who is blocked from campaigns has unsubscribed.
 */
export function brevo({ base, key, way }: { base: string; key: string; way: Way }): ReadPage {
  const get = apiOf({ name: BREVO.name, base, headers: { 'api-key': key }, way })
  const lists = once(() => listsOf(get))
  const attributes = once(() => attributesOf(get))
  const query = (page: number, limit: number) => `limit=${limit}&offset=${(page - 1) * limit}&sort=asc`
  return inParts({
    blocked: numbered({
      what: 'blocked contacts',
      async ask(page) {
        const { contacts, count } = await get(`smtp/blockedContacts?${query(page, BLOCKED_PER_PAGE)}`, BlockedContacts)
        return { items: contacts ?? [], total: count ?? 0 }
      },
      take: (items) => ({ optOuts: items.map(optOutOf) }),
    }),
    contacts: numbered({
      what: 'contacts',
      async ask(page) {
        const { contacts, count } = await get(`contacts?${query(page, CONTACTS_PER_PAGE)}`, Contacts)
        return { items: contacts ?? [], total: count }
      },
      take: async (items) => peopleOf(items, { lists: await lists(), attributes: await attributes() }),
    }),
    templates: numbered({
      what: 'templates',
      async ask(page) {
        const { templates, count } = await get(`smtp/templates?${query(page, MAILS_PER_PAGE)}`, Templates)
        return { items: templates ?? [], total: count ?? 0 }
      },
      async take(items) {
        const { mails, leftOut } = mailsOf(items, { kind: 'template', targets: (await attributes()).targets })
        return {
          templates: mails.map(({ id, name, ...mail }) => ({
            key: `brevo-${id}`,
            name: nameOf(name, `Brevo ${id}`),
            ...mail,
          })),
          leftOut,
        }
      },
    }),
    campaigns: numbered({
      what: 'campaigns',
      async ask(page) {
        const { campaigns, count } = await get(`emailCampaigns?${query(page, MAILS_PER_PAGE)}`, Campaigns)
        return { items: campaigns ?? [], total: count ?? 0 }
      },
      async take(items) {
        const { mails, leftOut } = mailsOf(items, { kind: 'campaign', targets: (await attributes()).targets })
        const broadcasts = mails.map(({ id, name, ...mail }) => ({
          name: draftName(name, { service: BREVO.name, id }),
          ...mail,
        }))
        return { broadcasts, leftOut }
      },
    }),
  })
}

/** Names of lists by their ids. */
async function listsOf(get: Get): Promise<ReadonlyMap<number, string>> {
  const names = new Map<number, string>()
  for (let offset = 0; ; offset += LISTS_PER_PAGE) {
    const { lists, count } = await get(`contacts/lists?limit=${LISTS_PER_PAGE}&offset=${offset}&sort=asc`, Lists)
    for (const { id, name } of lists ?? []) names.set(id, name)
    if ((lists ?? []).length === 0 || offset + LISTS_PER_PAGE >= (count ?? 0)) return names
  }
}

type Known = { targets: Mapping; labels: ReadonlyMap<string, ReadonlyMap<unknown, string>> }

/** Where attributes go, and what the numbers of those with fixed choices mean. */
async function attributesOf(get: Get): Promise<Known> {
  const attributes = (await get('contacts/attributes', Attributes)).attributes ?? []
  const own = attributes.filter(({ name, category }) => !OPT_INS.has(name) && category !== 'global')
  return {
    targets: attributeTargets(own.map(({ name }) => name)),
    labels: new Map(
      own.flatMap(({ name, enumeration }) =>
        enumeration ? [[name, new Map(enumeration.map(({ value, label }) => [value, label]))] as const] : [],
      ),
    ),
  }
}

function optOutOf({ email, reason }: Static<typeof Blocked>): OptOut {
  const code = reason?.code ?? 'blocked'
  const kinds: Record<string, OptOut['kind']> = { hardBounce: 'bounce', contactFlaggedAsSpam: 'complaint' }
  const kind = kinds[code] ?? (code.startsWith('unsubscribed') ? 'unsubscribed' : 'manual')
  return { email, kind, detail: `${BREVO.name}: ${code}` }
}

type With = { lists: ReadonlyMap<number, string>; attributes: Known }

function peopleOf(contacts: readonly Static<typeof Contact>[], known: With): Partial<MovedPage> {
  const leftOut: LeftOut[] = []
  const people: Person[] = []
  const optOuts: OptOut[] = []
  for (const contact of contacts) {
    const { id, email, emailBlacklisted, listUnsubscribed } = contact
    if (!email) {
      leftOut.push({ what: `contact ${id}`, why: 'has no email address' })
      continue
    }
    people.push(personOf({ ...contact, email }, known))
    if (emailBlacklisted) optOuts.push({ email, kind: 'unsubscribed', detail: `${BREVO.name}: blocked from campaigns` })
    else if ((listUnsubscribed ?? []).length > 0) {
      leftOut.push({ what: `a list that ${email} has left`, why: 'the tag of a list is given to those who are on it' })
    }
  }
  return { people: personRows(FILE, people), optOuts, leftOut }
}

function personOf(contact: Static<typeof Contact> & { email: string }, { lists, attributes }: With): Person {
  const { EXT_ID: subjectId, ...given } = contact.attributes ?? {}
  const left = new Set(contact.listUnsubscribed ?? [])
  const tags = (contact.listIds ?? []).flatMap((id) => (left.has(id) ? [] : (lists.get(id) ?? [])))
  const own = Object.entries(given).flatMap(([name, value]): [string, unknown][] =>
    OPT_INS.has(name) ? [] : [[name, attributes.labels.get(name)?.get(value) ?? value]],
  )
  return {
    email: contact.email,
    ...(typeof subjectId === 'string' ? { subjectId } : {}),
    ...{ tags, ...attributesHere(Object.fromEntries(own), attributes.targets) },
    consent: contact.emailBlacklisted ? null : consentOf(given),
  }
}

/** A confirmation has no time there; an `OPT_IN` may be one. */
function consentOf(attributes: Readonly<Record<string, unknown>>): Person['consent'] {
  const optIn = attributes.OPT_IN
  if (typeof optIn === 'string' && DATE.test(optIn)) return { optInTime: optIn }
  return YES.test(valueText(optIn)) || YES.test(valueText(attributes['DOUBLE_OPT-IN'])) ? {} : null
}

type Converting = { kind: 'template' | 'campaign'; targets: Mapping }

function mailsOf(given: readonly Static<typeof Mail>[], { kind, targets }: Converting) {
  const leftOut: LeftOut[] = []
  const mails = given.flatMap(({ id, name, subject, subjectA, htmlContent }) => {
    const what = `${kind} "${name}"`
    if (!htmlContent) {
      leftOut.push({ what, why: 'has no text in the answer of the API' })
      return []
    }
    const source = { subject: subject || subjectA || '', body: htmlContent, text: null }
    const read = mailAsLiquid(source, (text) => fromBrevoTemplate(text, targets))
    if ('why' in read) {
      leftOut.push({ what, why: read.why })
      return []
    }
    for (const gone of read.gone)
      leftOut.push({ what: `${gone} in ${what}`, why: 'has no counterpart here, and is gone from the text' })
    return [{ id, name, ...read.mail }]
  })
  return { mails, leftOut }
}
