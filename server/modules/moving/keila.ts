import { type Static, Type } from 'typebox'
import { once } from '../../platform/once.ts'
import { mailAsLiquid } from './as-liquid.ts'
import { apiOf, type Way } from './ask-api.ts'
import { fromKeilaLiquid, inSlots } from './keila-liquid.ts'
import { draftName, type LeftOut, type MovedPage, nameOf, type OptOut, type ReadPage, type Service } from './moved.ts'
import { PERSON_MAPPING, type Person, personRows } from './person-rows.ts'
import { inParts, numbered } from './read-parts.ts'

const nullableText = Type.Optional(Type.Union([Type.String(), Type.Null()]))
const nullableMap = Type.Optional(Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]))

const Contact = Type.Object({
  email: Type.String(),
  first_name: nullableText,
  last_name: nullableText,
  external_id: nullableText,
  status: Type.String(),
  data: nullableMap,
})
export type KeilaContact = Static<typeof Contact>
const Contacts = Type.Object({ data: Type.Array(Contact), meta: Type.Object({ count: Type.Integer() }) })

const bodies = { html_body: nullableText, mjml_body: nullableText, text_body: nullableText }
const Template = Type.Object({ id: Type.String(), name: Type.String(), type: Type.String(), ...bodies })
const Campaign = Type.Object({
  id: Type.String(),
  subject: nullableText,
  settings: Type.Object({ type: Type.String() }),
  template_id: nullableText,
  ...bodies,
  ...{ html_content: nullableMap, mjml_content: nullableMap, text_content: nullableMap },
})

const CONTACTS_PER_PAGE = 500
const MAILS_AT_ONCE = 50
const FILE = 'contacts'
/** Ways of writing that there are here as well. */
const WRITTEN = ['html', 'mjml', 'text'] as const
type Written = (typeof WRITTEN)[number]

export const KEILA: Service = { name: 'Keila', mapping: () => PERSON_MAPPING }

/** Reads a project of Keila by its API. It shows no consent: nobody has any here. */
export function keila({ base, key, way }: { base: string; key: string; way: Way }): ReadPage {
  const get = apiOf({
    ...{ name: KEILA.name, base: `${base}/api/v1`, way },
    headers: { authorization: `Bearer ${key}` },
  })
  const templates = once(async () => (await get('templates', Type.Object({ data: Type.Array(Template) }))).data)
  const campaigns = once(async () => (await get('campaigns', Type.Object({ data: Type.Array(Campaign) }))).data)
  return inParts({
    contacts: numbered({
      what: 'contacts',
      async ask(page) {
        const query = `paginate%5Bpage%5D=${page - 1}&paginate%5Bpage_size%5D=${CONTACTS_PER_PAGE}`
        const { data, meta } = await get(`contacts?${query}`, Contacts)
        return { items: data, total: meta.count }
      },
      take: keilaPeople,
    }),
    templates: numbered({
      ...{ what: 'templates', ask: stretchOf(templates) },
      take: templatesOf,
    }),
    campaigns: numbered({
      ...{ what: 'campaigns', ask: stretchOf(campaigns) },
      take: async (items) => broadcastsOf(items, await templates()),
    }),
  })
}

/** A list that comes whole, in stretches. */
const stretchOf =
  <T>(all: () => Promise<T[]>) =>
  async (page: number) => {
    const items = await all()
    return { items: items.slice((page - 1) * MAILS_AT_ONCE, page * MAILS_AT_ONCE), total: items.length }
  }

/** Contacts of Keila, of its API or of its file, as people. */
export function keilaPeople(contacts: readonly KeilaContact[]): Partial<MovedPage> {
  const people = contacts.map(
    ({ email, first_name, last_name, external_id, data }): Person => ({
      ...{ email, firstName: first_name ?? '', lastName: last_name ?? '', subjectId: external_id ?? '' },
      ...{ fields: data ?? {}, consent: null },
    }),
  )
  return { people: personRows(FILE, people), optOuts: contacts.flatMap(optOutOf) }
}

function optOutOf({ email, status }: KeilaContact): OptOut[] {
  if (status === 'active') return []
  const kind = status === 'unreachable' ? 'bounce' : status === 'unsubscribed' ? 'unsubscribed' : 'manual'
  return [{ email, kind, detail: `${KEILA.name}: ${status}` }]
}

type Bodies = Pick<Static<typeof Template>, 'html_body' | 'mjml_body' | 'text_body'>

const isWritten = (type: string): type is Written => WRITTEN.some((one) => one === type)

function mailOf({ subject, written, source }: { subject: string; written: Written; source: string }) {
  const isText = written === 'text'
  return mailAsLiquid({ subject, body: isText ? '' : source, text: isText ? source : null }, fromKeilaLiquid)
}

function templatesOf(templates: readonly Static<typeof Template>[]): Partial<MovedPage> {
  const leftOut: LeftOut[] = []
  const made = templates.flatMap((template) => {
    const { id, name, type } = template
    const source = isWritten(type) ? (template[`${type}_body`] ?? '') : ''
    const read =
      isWritten(type) && source !== ''
        ? mailOf({ subject: nameOf(name, id), written: type, source: inSlots(source) })
        : { why: `is made in Keila's own editor (${type})` }
    if ('mail' in read) return [{ key: `keila-${keyPart(id)}`, name: nameOf(name, id), ...read.mail }]
    leftOut.push({ what: `template "${name}"`, why: read.why })
    return []
  })
  return { templates: made, leftOut }
}

/** Ids there are of letters, digits and underscores. */
const keyPart = (id: string) => id.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')

function broadcastsOf(
  campaigns: readonly Static<typeof Campaign>[],
  templates: readonly Static<typeof Template>[],
): Partial<MovedPage> {
  const leftOut: LeftOut[] = []
  const broadcasts = campaigns.flatMap((campaign) => {
    const { id, settings, template_id: templateId } = campaign
    const subject = campaign.subject ?? ''
    const { type } = settings
    const layout = templates.find((one) => one.id === templateId)
    const read = isWritten(type)
      ? mailOf({ subject, written: type, source: sourceOf(campaign, { type, layout }) })
      : { why: `is written as ${type}` }
    if ('mail' in read) return [{ name: draftName(subject, { service: KEILA.name, id }), ...read.mail }]
    leftOut.push({ what: `campaign "${subject}"`, why: read.why })
    return []
  })
  return { broadcasts, leftOut }
}

type In = { type: Written; layout: Static<typeof Template> | undefined }

/** The text of a campaign, in the places of its layout where it has one of its kind. */
function sourceOf(campaign: Static<typeof Campaign> & Bodies, { type, layout }: In): string {
  const places = layout?.type === type ? (layout[`${type}_body`] ?? '') : ''
  return places === '' ? inSlots(campaign[`${type}_body`] ?? '') : inSlots(places, campaign[`${type}_content`] ?? {})
}
