import { LONG_NUMBER, startServicePeer } from './service-peer.ts'

const AT = '2020-02-10T23:07:16.199433+01:00'
const list = (name: string, optin: string, status: string) => ({
  subscription_status: status,
  subscription_created_at: '2021-03-01T10:00:00.000000+00:00',
  subscription_updated_at: '2021-03-01T10:05:00.000000+00:00',
  subscription_meta: {},
  ...{ id: name.length, uuid: 'ce13e971-c2ed-4069-bd0c-240e9a9f56f9', name, type: 'public', optin, tags: ['test'] },
  ...{ status: 'active', description: '', created_at: AT, updated_at: AT },
})
const subscriber = (id: number, email: string, more: object) => ({
  ...{ id, created_at: AT, updated_at: AT, uuid: `ea06b2e7-4b08-4697-bcfc-${String(id).padStart(12, '0')}` },
  ...{ email, name: email.split('@')[0], attribs: {}, status: 'enabled', lists: [] as object[], ...more },
})

const SUBSCRIBERS = [
  subscriber(1, 'john@monk.example', {
    ...{ name: 'John von Neumann', attribs: { city: 'Bengaluru', good: true, visits: 12, account: LONG_NUMBER } },
    lists: [list('Weekly, "best of"', 'double', 'confirmed')],
  }),
  subscriber(2, 'single@monk.example', { lists: [list('News', 'single', 'unconfirmed')] }),
  subscriber(3, 'waiting@monk.example', { lists: [list('Weekly, "best of"', 'double', 'unconfirmed')] }),
  subscriber(4, 'partly@monk.example', {
    lists: [list('News', 'single', 'unsubscribed'), list('Offers', 'double', 'confirmed')],
  }),
  subscriber(5, 'left@monk.example', { lists: [list('News', 'single', 'unsubscribed')] }),
  subscriber(6, 'blocked@monk.example', { status: 'blocklisted', lists: [list('News', 'single', 'unsubscribed')] }),
  subscriber(7, 'hard@monk.example', { lists: [list('News', 'single', 'confirmed')] }),
  subscriber(8, 'nolist@monk.example', { name: '' }),
  subscriber(9, '=cmd()@nowhere', {}),
]
const BOUNCES = [
  ...[{ id: 1, type: 'hard', source: 'demo', meta: {}, created_at: AT, email: 'hard@monk.example' }],
  ...[{ id: 2, type: 'soft', source: 'demo', meta: {}, created_at: AT, email: 'john@monk.example' }],
]
const layout =
  '<html><body><h1>Club</h1>{{ template "content" . }}<a href="{{ UnsubscribeURL }}">Leave</a>{{ TrackView }}</body></html>'
const TEMPLATES = [
  {
    id: 1,
    created_at: AT,
    updated_at: AT,
    name: 'Default template',
    type: 'campaign',
    subject: '',
    body: layout,
    is_default: true,
  },
  {
    id: 2,
    created_at: AT,
    updated_at: AT,
    name: 'Receipt',
    type: 'tx',
    subject: 'Order {{ .Tx.Data.order }}',
    body: '<p>Hi {{ .Subscriber.FirstName }}, {{ .Tx.Data.order }}</p>',
    is_default: false,
  },
  {
    id: 3,
    created_at: AT,
    updated_at: AT,
    name: 'Clever',
    type: 'tx',
    subject: 'x',
    body: '<p>{{ if .Subscriber.Name }}x{{ end }}</p>',
    is_default: false,
  },
]
const campaign = (id: number, name: string, more: object) => ({
  ...{
    id,
    created_at: AT,
    updated_at: AT,
    name,
    subject: 'Hi {{ .Subscriber.FirstName }}',
    from_email: 'No Reply <noreply@monk.example>',
  },
  ...{
    body: '<p>{{ .Subscriber.Attribs.city }} {% raw %} <a href="https://shop.example@TrackLink">Shop</a></p>',
    altbody: null,
  },
  ...{
    content_type: 'richtext',
    status: 'finished',
    template_id: 1,
    tags: [],
    lists: [],
    messenger: 'email',
    type: 'regular',
    ...more,
  },
})
const CAMPAIGNS = [
  campaign(1, 'Welcome', {}),
  campaign(2, 'Notes', { content_type: 'markdown' }),
  campaign(3, 'Plain', { content_type: 'plain', body: 'Hello {{ .Subscriber.Name }}' }),
]

/** Times are equal: by them each page has an order of its own. */
function inOrder(items: readonly object[], query: URLSearchParams): readonly object[] {
  if (query.get('order_by') === 'id') return items
  return Number(query.get('page')) % 2 === 0 ? items.toReversed() : items
}

export const LISTMONK_LOGIN = 'api_user:hush-hush-token'

/** listmonk as its documentation records its answers, on loopback, a few items a page; `slips`: somebody goes while pages are read. */
export function startListmonk({ perPage = 4, slips = false } = {}) {
  const all: Record<string, readonly object[]> = { subscribers: SUBSCRIBERS, bounces: BOUNCES, campaigns: CAMPAIGNS }
  return startServicePeer(
    ({ authorization }) => authorization === `token ${LISTMONK_LOGIN}`,
    (path, query) => {
      const name = path.replace('/api/', '')
      if (name === 'templates') return { body: { data: TEMPLATES } }
      const items = all[name]
      if (items === undefined) return undefined
      const page = Number(query.get('page'))
      const from = (page - 1) * perPage + (slips && page > 1 ? 1 : 0)
      const results = inOrder(items, query).slice(from, from + perPage)
      return { body: { data: { results, query: '', total: items.length, per_page: perPage, page } } }
    },
  )
}
