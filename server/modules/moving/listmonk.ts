import { csvLines } from '../../platform/csv/csv-lines.ts'
import { fromGoTemplate, inLayout } from './go-template.ts'
import type { ListmonkApi, ListmonkCampaign, ListmonkSubscriber, ListmonkTemplate } from './listmonk-api.ts'
import { type LeftOut, type Moved, type MovedBroadcast, type MovedTemplate, nameOf, type OptOut } from './moved.ts'

const COLUMNS = [
  'email',
  'first_name',
  'last_name',
  'tags',
  'attributes',
  'status',
  'optin_time',
  'confirm_time',
] as const
const MAPPING = {
  email: 'email',
  first_name: 'firstName',
  last_name: 'lastName',
  tags: 'tags',
  attributes: 'customFields',
  status: 'consent:status',
  optin_time: 'consent:optInTime',
  confirm_time: 'consent:confirmTime',
}
const LINES_AT_ONCE = 1_000

/**
 * Reads an installation of listmonk. A list becomes a tag of those who are on it. Only a list that somebody confirmed, or that
 * asks for no confirmation, is consent; who has left every list, or is blocked, has said no.
 */
export async function readListmonk(api: ListmonkApi): Promise<Moved> {
  const optOuts: OptOut[] = []
  const leftOut: LeftOut[] = []
  const csv: string[] = [csvLines([COLUMNS])]
  let rows: string[][] = []
  const flush = () => {
    if (rows.length > 0) csv.push(csvLines(rows))
    rows = []
  }
  for await (const subscriber of api.subscribers()) {
    const { row, optOut } = personOf(subscriber, leftOut)
    rows.push(row)
    if (optOut !== null) optOuts.push(optOut)
    if (rows.length === LINES_AT_ONCE) flush()
  }
  flush()
  for await (const { email, type } of api.bounces()) {
    if (type === 'hard') optOuts.push({ email, kind: 'bounce', detail: 'listmonk: hard bounce' })
    else if (type === 'complaint') optOuts.push({ email, kind: 'complaint', detail: 'listmonk: complaint' })
  }
  const layouts = await api.templates()
  return {
    source: 'listmonk',
    people: [{ name: 'subscribers', csv: Buffer.from(csv.join('')), mapping: () => MAPPING, tags: [] }],
    optOuts,
    templates: templatesOf(layouts, leftOut),
    broadcasts: await broadcastsOf(api, layouts, leftOut),
    leftOut,
  }
}

function personOf(subscriber: ListmonkSubscriber, leftOut: LeftOut[]): { row: string[]; optOut: OptOut | null } {
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
  const [first = '', ...rest] = name.trim() === email ? [] : name.trim().split(/\s+/)
  const row = [
    ...[email, first, rest.join(' '), lists.map((list) => quoted(list.name)).join(',')],
    Object.keys(attribs).length === 0 ? '' : JSON.stringify(attribs),
    agreed.length > 0 ? 'subscribed' : '',
    earliest(agreed.map((list) => list.subscription_created_at)),
    earliest(confirmed.map((list) => list.subscription_updated_at)),
  ]
  const detail = `listmonk: ${status === 'enabled' ? 'unsubscribed' : status}`
  return { row, optOut: isOut ? { email, kind: status === 'enabled' ? 'unsubscribed' : 'manual', detail } : null }
}

/** A tag of its own, whatever is in it. */
const quoted = (tag: string) => `"${tag.replaceAll('"', '""')}"`

const earliest = (times: readonly (string | null | undefined)[]) =>
  times.filter((time) => typeof time === 'string').toSorted((a, b) => Date.parse(a) - Date.parse(b))[0] ?? ''

function templatesOf(templates: readonly ListmonkTemplate[], leftOut: LeftOut[]): MovedTemplate[] {
  return templates.flatMap(({ id, name, type, subject, body }) => {
    const what = `template "${name}"`
    if (type !== 'tx') {
      leftOut.push({ what, why: 'is a layout: each campaign has it in its own text' })
      return []
    }
    const [converted, title] = [fromGoTemplate(body), fromGoTemplate(subject ?? '')]
    const unknown = [converted, title].flatMap((one) => ('unknown' in one ? one.unknown : []))
    if ('unknown' in converted || 'unknown' in title) {
      leftOut.push({ what, why: `uses ${unknown.join(', ')}, which has no counterpart here` })
      return []
    }
    return [{ key: `listmonk-${id}`, name: nameOf(name, what), subject: title.text, body: converted.text, text: null }]
  })
}

async function broadcastsOf(
  api: ListmonkApi,
  layouts: readonly ListmonkTemplate[],
  leftOut: LeftOut[],
): Promise<MovedBroadcast[]> {
  const broadcasts: MovedBroadcast[] = []
  for await (const campaign of api.campaigns()) {
    const made = broadcastOf(campaign, layouts.find(({ id }) => id === campaign.template_id)?.body ?? '')
    if ('why' in made) leftOut.push({ what: `campaign "${campaign.name}"`, why: made.why })
    else broadcasts.push(made)
  }
  return broadcasts
}

function broadcastOf(campaign: ListmonkCampaign, layout: string): MovedBroadcast | { why: string } {
  const { id, content_type: written } = campaign
  if (written !== 'richtext' && written !== 'html' && written !== 'plain') return { why: `is written as ${written}` }
  const html = written === 'plain' ? '' : inLayout(layout, campaign.body)
  const parts = [campaign.subject, html, written === 'plain' ? campaign.body : (campaign.altbody ?? '')].map(
    fromGoTemplate,
  )
  const unknown = parts.flatMap((part) => ('unknown' in part ? part.unknown : []))
  if (unknown.length > 0) return { why: `uses ${unknown.join(', ')}, which has no counterpart here` }
  const [subject = '', body = '', text = ''] = parts.flatMap((part) => ('text' in part ? part.text : []))
  // The number tells apart those of one name, at every run.
  return {
    name: nameOf(`${campaign.name.slice(0, 150)} (listmonk ${id})`, `listmonk ${id}`),
    subject,
    body,
    text: text || null,
  }
}
