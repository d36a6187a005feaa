import { ALIASES, CONTACT_FIELD_NAMES, CONTACT_FIELDS, type ContactField } from '../../catalogue/contact-fields.ts'
import { cutText } from '../../platform/cut-text.ts'
import { type FieldError, pointerTo } from '../../platform/problem.ts'
import { fieldKeyFault } from '../custom-fields/field-key.ts'
import { nameKey, type TopicsByName } from '../topics/topics-named.ts'
import { BIRTHDAY_WORDS, isTime } from './column-format.ts'
import { folded, yesOrNo } from './folded.ts'
import { namesIn } from './names-in.ts'
import { statusOf } from './subscription-status.ts'

/** Where the values of a column go beside the fields of a contact. `custom:<key>` is a custom field, `ignore` is nowhere. */
const MORE_TARGETS = [
  'fullName',
  'tags',
  'topics',
  'customFields',
  'consent:status',
  'consent:optInTime',
  'consent:optInIp',
  'consent:confirmTime',
  'consent:confirmIp',
  'consent:unsubscribeTime',
  'consent:cleanTime',
] as const
export type Target = ContactField | (typeof MORE_TARGETS)[number]
export const TARGETS: readonly Target[] = [...CONTACT_FIELD_NAMES, ...MORE_TARGETS]
export const IGNORE = 'ignore'
export const CUSTOM = 'custom:'
const BIRTHDAY = 'custom:birthday'

/** Target of each column by its name. A column that is not named is ignored. */
export type Mapping = Record<string, string>

const KNOWN: ReadonlySet<string> = new Set(TARGETS)
/** Columns that say, each by a time or a yes of its own, that somebody must not be mailed: any of them will do. */
const NOES_BY_TIME: ReadonlySet<string> = new Set(['consent:unsubscribeTime', 'consent:cleanTime'])
/** Targets that take what several columns say. */
const MANY: ReadonlySet<string> = new Set(['tags', 'topics', ...NOES_BY_TIME])
const IDENTIFIERS: ReadonlySet<string> = new Set(ALIASES)

export function isTarget(target: string): target is Target {
  return KNOWN.has(target)
}

/** Faults of a mapping for these columns. */
export function mappingFaults(mapping: Mapping, columns: readonly { name: string }[]): FieldError[] {
  const names = new Set(columns.map((column) => column.name))
  const faults: FieldError[] = []
  const taken = new Set<string>()
  for (const [name, target] of Object.entries(mapping)) {
    const pointer = pointerTo('mapping', name)
    if (!names.has(name)) faults.push({ pointer, detail: 'is not a column of the file' })
    else if (target === IGNORE) continue
    else if (target.startsWith(CUSTOM)) {
      const key = target.slice(CUSTOM.length)
      const fault = key === '__proto__' ? 'is not accepted' : fieldKeyFault(key)
      if (fault) faults.push({ pointer, detail: `the key ${fault}` })
    } else if (!isTarget(target)) {
      faults.push({ pointer, detail: `must be one of ${TARGETS.join(', ')}, custom:<key>, ignore` })
    }
    if (taken.has(target) && !MANY.has(target))
      faults.push({ pointer, detail: `another column goes to ${target} already` })
    taken.add(target)
  }
  if (![...taken].some((target) => IDENTIFIERS.has(target))) {
    faults.push({ pointer: '/mapping', detail: `needs a column that goes to one of ${ALIASES.join(', ')}` })
  }
  return faults
}

/** Words for a whole name that are one for a family name as well, where a column beside has the first one. */
const NAME_WORDS: ReadonlySet<string> = new Set(['name', 'navn', 'namn', 'naam'])

const WORDS: ReadonlyMap<string, Target | typeof IGNORE | typeof BIRTHDAY> = new Map([
  ...CONTACT_FIELDS.flatMap(({ name, importWords }) => importWords.map((word): [string, Target] => [word, name])),
  ...[...BIRTHDAY_WORDS].map((word): [string, typeof BIRTHDAY] => [word, BIRTHDAY]),
  ...[...NAME_WORDS].map((word): [string, Target] => [word, 'fullName']),
  ...Object.entries({
    fullname: 'fullName',
    vollstandigername: 'fullName',
    nomcomplet: 'fullName',
    nombrecompleto: 'fullName',
    nomecompleto: 'fullName',
    nomeecognome: 'fullName',
    imieinazwisko: 'fullName',
    volledigenaam: 'fullName',
    fuldenavn: 'fullName',
    fullstandigtnamn: 'fullName',
    tags: 'tags',
    tag: 'tags',
    schlagworte: 'tags',
    schlagworter: 'tags',
    etiketten: 'tags',
    etiquettes: 'tags',
    etiquetas: 'tags',
    etichette: 'tags',
    etikietki: 'tags',
    taggar: 'tags',
    etiketter: 'tags',
    topics: 'topics',
    topic: 'topics',
    interests: 'topics',
    lists: 'topics',
    themen: 'topics',
    interessen: 'topics',
    attributes: 'customFields',
    customfields: 'customFields',
    status: 'consent:status',
    newsletter: 'consent:status',
    subscribed: 'consent:status',
    optin: 'consent:status',
    // Klaviyo, Shopify.
    emailmarketingconsent: 'consent:status',
    emailmarketingconsenttimestamp: 'consent:optInTime',
    acceptsemailmarketing: 'consent:status',
    acceptsmarketing: 'consent:status',
    optintime: 'consent:optInTime',
    optinip: 'consent:optInIp',
    confirmtime: 'consent:confirmTime',
    confirmip: 'consent:confirmIp',
    unsubtime: 'consent:unsubscribeTime',
    cleantime: 'consent:cleanTime',
    // Customer.io, HubSpot, Brevo, and what people call it.
    unsubscribed: 'consent:unsubscribeTime',
    unsubscribedat: 'consent:unsubscribeTime',
    unsubscribedfromallemail: 'consent:unsubscribeTime',
    optedout: 'consent:unsubscribeTime',
    optout: 'consent:unsubscribeTime',
    emailoptout: 'consent:unsubscribeTime',
    emailblacklisted: 'consent:unsubscribeTime',
    emailblocklisted: 'consent:unsubscribeTime',
    blacklisted: 'consent:unsubscribeTime',
    blocklisted: 'consent:unsubscribeTime',
    abgemeldet: 'consent:unsubscribeTime',
    abgemeldetam: 'consent:unsubscribeTime',
    emailhardbouncereason: 'consent:cleanTime',
    // Columns that say something about the other system only.
    gmtoff: IGNORE,
    dstoff: IGNORE,
    leid: IGNORE,
    euid: IGNORE,
    lastchanged: IGNORE,
    createdat: IGNORE,
    updatedat: IGNORE,
    id: IGNORE,
  } as const),
])

/**
 * A mapping that needs no editing for the exports of other products (Mailchimp's three files, listmonk's, our own), and that heeds what
 * those of Klaviyo, Brevo, HubSpot, Customer.io and Shopify say of consent. Unknown columns become custom fields, and so do a status
 * whose values are none of a subscription, a no that is neither a time nor a yes, and topics that the workspace does not have. A phone number names the contact only where nothing else does, or in a file of ours: two people
 * may share one, and would become one contact.
 */
export function suggestMapping(
  columns: readonly { name: string; samples?: readonly string[] }[],
  topics: TopicsByName = new Map(),
): Mapping {
  const words = columns.map(({ name }) => folded(name))
  const targets = new Set(words.map((word) => WORDS.get(word)))
  const nameIsFamily = targets.has('firstName') && !targets.has('lastName')
  const isOurs = columns.some(({ name }) => name === 'subjectId')
  const identified = words.some((word) => WORDS.get(word) !== 'phone' && IDENTIFIERS.has(WORDS.get(word) ?? ''))
  const fits = (known: string | undefined, samples: readonly string[]): boolean => {
    if (known === 'phone') return isOurs || !identified
    if (known === 'consent:status') return samples.every((one) => statusOf(one))
    if (known === 'consent:optInTime') return samples.every((one) => isTime(one))
    if (known === 'consent:unsubscribeTime') return samples.every((one) => yesOrNo(one) !== undefined || isTime(one))
    if (known !== 'topics') return true
    return samples.some(Boolean) && samples.flatMap(namesIn).every((one) => topics.has(nameKey(one)))
  }
  const taken = new Set<string>()
  const mapping: Mapping = {}
  for (const [n, { name, samples = [] }] of columns.entries()) {
    const word = words[n]!
    const known = nameIsFamily && NAME_WORDS.has(word) ? 'lastName' : WORDS.get(word)
    const target = (fits(known, samples) ? known : undefined) ?? customTarget(name)
    const free = target === IGNORE || MANY.has(target) || !taken.has(target) ? target : IGNORE
    mapping[name] = free
    taken.add(free)
  }
  return mapping
}

const KEY_CHARS_MAX = 60

/** The custom field that a column of this name goes to, or `ignore`. */
export function customTarget(name: string): string {
  if (name.startsWith(CUSTOM) && fieldKeyFault(name.slice(CUSTOM.length)) === undefined) return name
  const words = name.toLowerCase().split(/[^\p{L}\p{N}]+/u)
  const key = cutText(words.filter((word) => word !== '').join('_'), KEY_CHARS_MAX)
  return key === '' || fieldKeyFault(key) !== undefined ? IGNORE : `${CUSTOM}${key}`
}
