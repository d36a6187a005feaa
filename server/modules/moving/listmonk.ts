import { type Static, Type } from 'typebox'
import { once } from '../../platform/once.ts'
import { mailAsLiquid } from './as-liquid.ts'
import { apiOf, type Way } from './ask-api.ts'
import { fromGoTemplate, inLayout } from './go-template.ts'
import { draftName, type LeftOut, type MovedPage, nameOf, type OptOut, type ReadPage, type Service } from './moved.ts'
import { nameParts, PERSON_MAPPING, type Person, personRows } from './person-rows.ts'
import { inParts, numbered } from './read-parts.ts'

const nullableText = Type.Optional(Type.Union([Type.String(), Type.Null()]))
const pageOf = <T extends Parameters<typeof Type.Array>[0]>(item: T) =>
  Type.Object({ data: Type.Object({ results: Type.Array(item), total: Type.Integer() }) })

const Subscriber = Type.Object({
  email: Type.String(),
  name: Type.String(),
  status: Type.String(),
  attribs: Type.Record(Type.String(), Type.Unknown()),
  lists: Type.Array(
    Type.Object({
      name: Type.String(),
      optin: Type.String(),
      subscription_status: Type.String(),
      subscription_created_at: nullableText,
      subscription_updated_at: nullableText,
    }),
  ),
})
const Template = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  type: Type.String(),
  subject: nullableText,
  body: Type.String(),
})
const Campaign = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  subject: Type.String(),
  body: Type.String(),
  altbody: nullableText,
  content_type: Type.String(),
  template_id: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
})
const Bounce = Type.Object({ email: Type.String(), type: Type.String() })

const PEOPLE_PER_PAGE = 500
const CAMPAIGNS_PER_PAGE = 50
/** Times may be equal, and pages by them shift: ids are not. */
const IN_ORDER = 'order_by=id&order=ASC'
const FILE = 'subscribers'

export const LISTMONK: Service = { name: 'listmonk', mapping: () => PERSON_MAPPING }

/**
 * Reads an installation of listmonk; `key` is `user:token` of an API user. A list becomes a tag of those who are on it. Only a
 * list that somebody confirmed, or that asks for no confirmation, is consent; who has left every list, or is blocked, has said no.
 */
export function listmonk({ base, key, way }: { base: string; key: string; way: Way }): ReadPage {
  const get = apiOf({ name: LISTMONK.name, base: `${base}/api`, headers: { authorization: `token ${key}` }, way })
  const templates = once(async () => (await get('templates', Type.Object({ data: Type.Array(Template) }))).data)
  const bounces = pageOf(Bounce)
  const subscribers = pageOf(Subscriber)
  const campaigns = pageOf(Campaign)
  const query = (page: number, perPage: number) => `page=${page}&per_page=${perPage}&${IN_ORDER}`
  return inParts({
    bounces: numbered({
      what: 'bounces',
      async ask(page) {
        const { data } = await get(`bounces?${query(page, PEOPLE_PER_PAGE)}`, bounces)
        return { items: data.results, total: data.total }
      },
      take: (items) => ({ optOuts: items.flatMap(optOutOfBounce) }),
    }),
    subscribers: numbered({
      what: 'subscribers',
      async ask(page) {
        const { data } = await get(`subscribers?${query(page, PEOPLE_PER_PAGE)}`, subscribers)
        return { items: data.results, total: data.total }
      },
      take: peopleOf,
    }),
    templates: async () => ({ found: templatesOf(await templates()), next: null }),
    campaigns: numbered({
      what: 'campaigns',
      async ask(page) {
        const { data } = await get(`campaigns?${query(page, CAMPAIGNS_PER_PAGE)}`, campaigns)
        return { items: data.results, total: data.total }
      },
      async take(items) {
        const layouts = await templates()
        return broadcastsOf(items, (id) => layouts.find((one) => one.id === id)?.body ?? '')
      },
    }),
  })
}

function optOutOfBounce({ email, type }: Static<typeof Bounce>): OptOut[] {
  if (type === 'hard') return [{ email, kind: 'bounce', detail: 'listmonk: hard bounce' }]
  return type === 'complaint' ? [{ email, kind: 'complaint', detail: 'listmonk: complaint' }] : []
}

function peopleOf(subscribers: readonly Static<typeof Subscriber>[]): Partial<MovedPage> {
  const leftOut: LeftOut[] = []
  const found = subscribers.map((subscriber) => personOf(subscriber, leftOut))
  const people = personRows(
    FILE,
    found.map(({ person }) => person),
  )
  return { people, optOuts: found.flatMap(({ optOut }) => optOut ?? []), leftOut }
}

function personOf(subscriber: Static<typeof Subscriber>, leftOut: LeftOut[]): { person: Person; optOut?: OptOut } {
  const { email, name, attribs, status } = subscriber
  const lists = subscriber.lists.filter((list) => list.subscription_status !== 'unsubscribed')
  const isOut = status !== 'enabled' || (subscriber.lists.length > 0 && lists.length === 0)
  const agreed = isOut
    ? []
    : lists.filter((list) => list.subscription_status === 'confirmed' || list.optin === 'single')
  const confirmed = agreed.filter((list) => list.subscription_status === 'confirmed' && list.optin === 'double')
  const left = subscriber.lists.length - lists.length
  if (left > 0 && !isOut) {
    leftOut.push({ what: `a list that ${email} has left`, why: 'the tag of a list is given to those who are on it' })
  }
  const times = {
    optInTime: earliest(agreed.map((list) => list.subscription_created_at)),
    confirmTime: earliest(confirmed.map((list) => list.subscription_updated_at)),
  }
  const person: Person = {
    ...{ email, tags: lists.map((list) => list.name), fields: attribs },
    ...(name.trim() === email ? {} : nameParts(name)),
    consent: agreed.length > 0 ? times : null,
  }
  if (!isOut) return { person }
  const detail = `listmonk: ${status === 'enabled' ? 'unsubscribed' : status}`
  return { person, optOut: { email, kind: status === 'enabled' ? 'unsubscribed' : 'manual', detail } }
}

const earliest = (times: readonly (string | null | undefined)[]) =>
  times.filter((time) => typeof time === 'string').toSorted((a, b) => Date.parse(a) - Date.parse(b))[0] ?? ''

function templatesOf(templates: readonly Static<typeof Template>[]): Partial<MovedPage> {
  const leftOut: LeftOut[] = []
  const made = templates.flatMap(({ id, name, type, subject, body }) => {
    const what = `template "${name}"`
    if (type !== 'tx') {
      leftOut.push({ what, why: 'is a layout: each campaign has it in its own text' })
      return []
    }
    const read = mailAsLiquid({ subject: subject ?? '', body, text: null }, fromGoTemplate)
    if ('mail' in read) return [{ key: `listmonk-${id}`, name: nameOf(name, what), ...read.mail }]
    leftOut.push({ what, why: read.why })
    return []
  })
  return { templates: made, leftOut }
}

function broadcastsOf(
  campaigns: readonly Static<typeof Campaign>[],
  layoutOf: (id: number | null | undefined) => string,
): Partial<MovedPage> {
  const leftOut: LeftOut[] = []
  const broadcasts = campaigns.flatMap((campaign) => {
    const { id, name, subject, body, altbody, content_type: written } = campaign
    const isText = written === 'plain'
    const html = isText ? '' : inLayout(layoutOf(campaign.template_id), body)
    const read =
      isText || written === 'richtext' || written === 'html'
        ? mailAsLiquid({ subject, body: html, text: isText ? body : (altbody ?? '') }, fromGoTemplate)
        : { why: `is written as ${written}` }
    if ('mail' in read) return [{ name: draftName(name, { service: 'listmonk', id }), ...read.mail }]
    leftOut.push({ what: `campaign "${name}"`, why: read.why })
    return []
  })
  return { broadcasts, leftOut }
}
