import { LONG_NUMBER, startServicePeer, stretchOf } from './service-peer.ts'

const AT = '2026-01-05T10:00:00Z'
const contact = (id: number, email: string, more: object) => ({
  ...{ id: `c_${id}`, email, first_name: null, last_name: null, external_id: null, data: null, status: 'active' },
  ...{ inserted_at: AT, updated_at: AT, ...more },
})
const CONTACTS = [
  contact(1, 'jane@keila.example', {
    ...{ first_name: 'Jane', last_name: 'Doe', external_id: 'abc-123' },
    data: { interests: ['chess', 'books'], city: 'Munich', visits: 3, account: LONG_NUMBER },
  }),
  contact(2, 'left@keila.example', { status: 'unsubscribed' }),
  contact(3, 'gone@keila.example', { status: 'unreachable', first_name: '=Gone' }),
  contact(4, 'nowhere@', { data: {} }),
]
const bodies = { html_body: null, mjml_body: null, text_body: null }
const LAYOUT = `<html><body><keila-content name="main"><p>Hey {{ contact.first_name }}.</p></keila-content>
<p><a href="{{ unsubscribe_link }}">Unsubscribe</a></p></body></html>`
const TEMPLATES = [
  {
    id: 'tpl_ab12',
    name: 'Welcome Email',
    type: 'html',
    ...bodies,
    html_body: LAYOUT,
    inserted_at: AT,
    updated_at: AT,
  },
  { id: 'tpl_cd34', name: 'Own', type: 'hybrid', ...bodies, styles: 'body{}', assigns: {}, inserted_at: AT },
]
const campaign = (id: string, type: string, more: object) => ({
  ...{ id, subject: `${type} {{ contact.first_name }}`, settings: { type }, ...bodies, json_body: null },
  ...{ html_content: null, mjml_content: null, text_content: null, data: null, template_id: null, sender_id: 'ms_1' },
  ...{
    segment_id: null,
    sent_at: AT,
    scheduled_for: null,
    inserted_at: AT,
    updated_at: AT,
    preview_text: null,
    ...more,
  },
})
const CAMPAIGNS = [
  campaign('mc_1', 'html', { template_id: 'tpl_ab12', html_content: { main: '<p>{{ contact.data.city }} {{{</p>' } }),
  campaign('mc_2', 'markdown', { text_body: '# Hi' }),
  campaign('mc_3', 'text', {
    text_body: 'Hello {{ contact.first_name }}{% for book in campaign.data.books %}x{% endfor %}',
  }),
  campaign('mc_4', 'text', { text_body: 'Hello {{ contact.first_name }}, {{ unsubscribe_link }}' }),
  campaign('mc_5', 'mjml', {
    mjml_body:
      '<mjml><mj-body><mj-section><mj-column><mj-text>Hi {{ contact.email }}</mj-text></mj-column></mj-section></mj-body></mjml>',
  }),
]

export const KEILA_KEY = 'keila-hush-hush'

/** The file of contacts that Keila exports. */
export const KEILA_FILE = [
  'Email,First name,Last name,Data,Status,External ID',
  'jane@keila.example,Jane,Doe,"{""city"":""Munich"",""visits"":3,""account"":9007199254740993}",active,abc-123',
  'left@keila.example,,,,unsubscribed,',
  'gone@keila.example,=Gone,,no object,unreachable,',
  'nowhere@,,,,active,',
  '',
].join('\r\n')

/** Keila as its source has it, on loopback: contacts by pages from zero, templates and campaigns whole. */
export function startKeila() {
  return startServicePeer(
    ({ authorization }) => authorization === `Bearer ${KEILA_KEY}`,
    (path, query) => {
      const whole = (items: readonly object[]) => ({
        body: { data: items, meta: { page: 0, page_count: 1, count: items.length } },
      })
      if (path === '/api/v1/templates') return whole(TEMPLATES)
      if (path === '/api/v1/campaigns') return whole(CAMPAIGNS)
      if (path !== '/api/v1/contacts') return undefined
      const [page, limit] = [Number(query.get('paginate[page]')), Number(query.get('paginate[page_size]'))]
      const data = stretchOf(CONTACTS, { offset: page * limit, limit })
      return { body: { data, meta: { page, page_count: 1, count: CONTACTS.length } } }
    },
  )
}
