import { type Static, Type } from 'typebox'
import { once } from '../../platform/once.ts'
import type { Mapping } from '../imports/mapping.ts'
import { apiOf, type Get, type Way } from './ask-api.ts'
import { fromMergeTags } from './merge-tags.ts'
import { draftName, type LeftOut, type MovedPage, type OptOut, type ReadPage, type Service } from './moved.ts'
import { attributesHere, attributeTargets, PERSON_MAPPING, type Person, personRows, variableOf } from './person-rows.ts'
import { forEach, inParts, numbered } from './read-parts.ts'

const total_items = Type.Integer()
const optionalText = Type.Optional(Type.Union([Type.String(), Type.Null()]))

const Lists = Type.Object({
  lists: Type.Array(
    Type.Object({ id: Type.String(), name: Type.String(), double_optin: Type.Optional(Type.Boolean()) }),
  ),
  total_items,
})
type List = Static<typeof Lists>['lists'][number]
const Field = Type.Object({ tag: Type.String(), name: Type.String(), type: Type.String() })
const Fields = Type.Object({ merge_fields: Type.Array(Field), total_items })
const Member = Type.Object({
  email_address: Type.String(),
  status: Type.String(),
  unsubscribe_reason: optionalText,
  merge_fields: Type.Record(Type.String(), Type.Unknown()),
  ...{ ip_signup: optionalText, timestamp_signup: optionalText, ip_opt: optionalText, timestamp_opt: optionalText },
  tags: Type.Optional(Type.Array(Type.Object({ name: Type.String() }))),
})
type Member = Static<typeof Member>
const Members = Type.Object({ members: Type.Array(Member), total_items })
const AbuseReports = Type.Object({
  abuse_reports: Type.Array(Type.Object({ email_address: Type.String() })),
  total_items,
})
const Templates = Type.Object({ templates: Type.Array(Type.Object({ name: Type.String() })), total_items })
const Campaign = Type.Object({
  id: Type.String(),
  type: Type.String(),
  settings: Type.Object({ title: optionalText, subject_line: optionalText }),
})
const Campaigns = Type.Object({ campaigns: Type.Array(Campaign), total_items })
const Content = Type.Object({ html: optionalText, plain_text: optionalText })

const PEOPLE_PER_PAGE = 500
const LISTS_MAX = 1_000
/** Each is asked for by itself. */
const CAMPAIGNS_PER_PAGE = 10
const KEY = /^[\w-]{8,100}-([a-z]{2,4}\d{1,4})$/

export const MAILCHIMP_API: Service = { name: 'Mailchimp', mapping: () => PERSON_MAPPING }

/** Where the API of a key's account is: its end names the data centre. Undefined for what is no key. */
export function mailchimpAddress(key: string): string | undefined {
  const [, centre] = KEY.exec(key) ?? []
  return centre && `https://${centre}.api.mailchimp.com/3.0`
}

/**
 * Reads an account of Mailchimp by its API. Consent is what a sign-up and, of an audience that asks for it, a confirmation
 * show with their times. The text of templates is only in its export.
 */
export function mailchimpApi({ base, key, way }: { base: string; key: string; way: Way }): ReadPage {
  const authorization = `Basic ${Buffer.from(`postroom:${key}`).toString('base64')}`
  const get = apiOf({ name: MAILCHIMP_API.name, base, headers: { authorization }, way })
  // Its links are most of an answer, and nobody follows them.
  const query = (page: number, count: number, of: string) =>
    `count=${count}&offset=${(page - 1) * count}&exclude_fields=_links,${of}._links`
  const lists = once(async () => (await get(`lists?${query(1, LISTS_MAX, 'lists')}`, Lists)).lists)
  const fields = fieldsBy(get)
  return inParts({
    complaints: forEach(lists, ({ id, name }) =>
      numbered({
        what: `complaints of ${name}`,
        async ask(page) {
          const path = `lists/${id}/abuse-reports?${query(page, PEOPLE_PER_PAGE, 'abuse_reports')}`
          const { abuse_reports: items, total_items: total } = await get(path, AbuseReports)
          return { items, total }
        },
        take: (items) => ({ optOuts: items.map((one) => optOut(one.email_address, 'complaint', 'complaint')) }),
      }),
    ),
    members: forEach(lists, (list) =>
      numbered({
        what: `members of ${list.name}`,
        async ask(page) {
          const path = `lists/${list.id}/members?${query(page, PEOPLE_PER_PAGE, 'members')}&sort_field=timestamp_opt&sort_dir=ASC`
          const { members: items, total_items: total } = await get(path, Members)
          return { items, total }
        },
        take: async (items) =>
          peopleOf(items, { list, isOneOfMany: (await lists()).length > 1, fields: await fields(list.id) }),
      }),
    ),
    templates: numbered({
      what: 'templates',
      async ask(page) {
        const { templates, total_items: total } = await get(
          `templates?${query(page, 100, 'templates')}&type=user`,
          Templates,
        )
        return { items: templates, total }
      },
      take: (items) => ({
        leftOut: items.map(({ name }) => ({
          what: `template "${name}"`,
          why: 'is not shown by the API: the export of the account has it',
        })),
      }),
    }),
    campaigns: numbered({
      what: 'campaigns',
      async ask(page) {
        const path = `campaigns?${query(page, CAMPAIGNS_PER_PAGE, 'campaigns')}&sort_field=create_time&sort_dir=ASC`
        const { campaigns: items, total_items: total } = await get(path, Campaigns)
        return { items, total }
      },
      take: async (items) => broadcastsOf(items, { get, variables: await variablesOf(await lists(), fields) }),
    }),
  })
}

type ListFields = { targets: Mapping; named: ReadonlyMap<string, Static<typeof Field>> }

/** The merge fields of each list, asked for once. */
function fieldsBy(get: Get): (listId: string) => Promise<ListFields> {
  const known = new Map<string, () => Promise<ListFields>>()
  return (listId) => {
    const read =
      known.get(listId) ??
      once(async () => {
        const { merge_fields: fields } = await get(`lists/${listId}/merge-fields?count=${LISTS_MAX}&offset=0`, Fields)
        return {
          // By the names that people see, as its export has them.
          targets: attributeTargets(fields.map(({ name }) => name)),
          named: new Map(fields.map((field) => [field.tag, field])),
        }
      })
    known.set(listId, read)
    return read()
  }
}

async function variablesOf(lists: readonly List[], fields: (listId: string) => Promise<ListFields>) {
  const variables: Record<string, string> = {}
  for (const { id } of lists) {
    const { targets, named } = await fields(id)
    for (const [tag, { name }] of named) {
      const variable = variableOf(targets[name] ?? '')
      if (variable !== undefined) variables[tag] ??= variable
    }
  }
  return variables
}

type Of = { list: List; isOneOfMany: boolean; fields: ListFields }

function peopleOf(members: readonly Member[], of: Of): Partial<MovedPage> {
  return {
    people: personRows(
      of.list.name,
      members.map((member) => personOf(member, of)),
    ),
    optOuts: members.flatMap(optOutOf),
  }
}

function personOf(member: Member, { list, isOneOfMany, fields }: Of): Person {
  const attributes = Object.entries(member.merge_fields).map(([tag, value]): [string, unknown] => {
    const field = fields.named.get(tag)
    return [field?.name ?? tag, plainOf(value, field?.type)]
  })
  return {
    email: member.email_address,
    ...attributesHere(Object.fromEntries(attributes), fields.targets),
    tags: [...(member.tags ?? []).map(({ name }) => name), ...(isOneOfMany ? [list.name] : [])],
    consent: member.status === 'subscribed' ? consentOf(member, list) : null,
  }
}

/** An address in one line, a birthday without its year as our fields have it. */
function plainOf(value: unknown, type: string | undefined): unknown {
  if (type === 'birthday' && typeof value === 'string') return value.replace(/^(\d{2})\/(\d{2})$/, '--$1-$2')
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return value
  return Object.values(value)
    .filter((part) => typeof part === 'string' && part !== '')
    .join(', ')
}

/** The second time is a confirmation only where the audience asks for one. */
function consentOf(member: Member, { double_optin: isDouble = false }: List): Person['consent'] {
  const { timestamp_signup, timestamp_opt, ip_signup, ip_opt } = member
  if (isDouble && timestamp_opt) {
    return { optInTime: timestamp_signup, optInIp: ip_signup, confirmTime: timestamp_opt, confirmIp: ip_opt }
  }
  const at = timestamp_signup || timestamp_opt
  return at ? { optInTime: at, optInIp: ip_signup || ip_opt } : null
}

const optOut = (email: string, kind: OptOut['kind'], said: string): OptOut => ({
  ...{ email, kind },
  detail: `${MAILCHIMP_API.name}: ${said}`,
})

function optOutOf({ email_address: email, status, unsubscribe_reason: reason }: Member): OptOut[] {
  if (status === 'cleaned') return [optOut(email, 'bounce', status)]
  if (status !== 'unsubscribed') return []
  // A reader who called it spam has complained, and is mailed nothing at all.
  return [optOut(email, /spam|abuse/i.test(reason ?? '') ? 'complaint' : 'unsubscribed', reason || status)]
}

type Converting = { get: Get; variables: Readonly<Record<string, string>> }

async function broadcastsOf(
  campaigns: readonly Static<typeof Campaign>[],
  { get, variables }: Converting,
): Promise<Partial<MovedPage>> {
  const leftOut: LeftOut[] = []
  const broadcasts = []
  for (const { id, type, settings } of campaigns) {
    const name = settings.title || settings.subject_line || id
    const what = `campaign "${name}"`
    if (type !== 'regular' && type !== 'plaintext') {
      leftOut.push({ what, why: `is a campaign of the kind ${type}` })
      continue
    }
    const { html, plain_text: plain } = await get(`campaigns/${id}/content`, Content)
    const isText = type === 'plaintext' || !html
    const parts = { subject: settings.subject_line ?? '', body: isText ? '' : html, text: isText ? (plain ?? '') : '' }
    const read = Object.entries(parts).map(([part, text]) => [part, fromMergeTags(text, variables)] as const)
    for (const tag of new Set(read.flatMap(([, { unknown }]) => unknown))) {
      leftOut.push({ what: `${tag} in ${what}`, why: 'has no counterpart here, and stands in the text as it is' })
    }
    const { subject, body, text } = Object.fromEntries(read.map(([part, { text: ours }]) => [part, ours]))
    broadcasts.push({
      name: draftName(name, { service: MAILCHIMP_API.name, id }),
      ...{ subject: subject ?? '', body: body ?? '', text: text || null },
    })
  }
  return { broadcasts, leftOut }
}
