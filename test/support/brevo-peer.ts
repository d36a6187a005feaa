import { startServicePeer, stretchOf } from './service-peer.ts'

const AT = '2017-05-01T17:05:03.000+02:00'
const contact = (id: number, email: string | null, more: object) => ({
  ...{ email, id, emailBlacklisted: false, smsBlacklisted: false, createdAt: AT, modifiedAt: AT },
  ...{ listIds: [] as number[], listUnsubscribed: null, attributes: {}, ...more },
})

const CONTACTS = [
  contact(1, 'meg@brevo.example', {
    listIds: [43, 58],
    attributes: {
      ...{ FIRSTNAME: 'Meg', LASTNAME: 'Brennon', 'DOUBLE_OPT-IN': '1', EXT_ID: 'crm-1', SMS: '33612345678' },
      ...{
        CITY: 'New-York',
        DOB: '1986-05-02',
        VISITS: 12,
        VIP: true,
        CIV: 2,
        INTERESTS: ['wine', 'cheese'],
        NOTES: '',
      },
    },
  }),
  contact(2, 'dated@brevo.example', { listIds: [43], attributes: { OPT_IN: '2023-05-02', SMS: '33612345678' } }),
  contact(3, 'listed@brevo.example', { listIds: [43], attributes: { FIRSTNAME: '=Ada', 'DOUBLE_OPT-IN': '2' } }),
  contact(4, 'partly@brevo.example', { listIds: [43], listUnsubscribed: [58], attributes: { OPT_IN: true } }),
  contact(5, 'left@brevo.example', { emailBlacklisted: true, listIds: [58], attributes: { OPT_IN: true } }),
  contact(6, 'hard@brevo.example', { emailBlacklisted: true }),
  contact(7, null, { attributes: { SMS: '33699999999' } }),
  contact(8, 'not an address', {}),
]
const many = (count: number) =>
  Array.from({ length: count }, (_, n) =>
    contact(1_000 + n, `p${n}@many-brevo.example`, { listIds: [43], attributes: { FIRSTNAME: `P${n}` } }),
  )
const LISTS = [
  { id: 43, name: 'Wine, "red"', folderId: 1, uniqueSubscribers: 4, totalBlacklisted: 0, totalSubscribers: 0 },
  { id: 58, name: 'Cheese', folderId: 1, uniqueSubscribers: 2, totalBlacklisted: 0, totalSubscribers: 0 },
]
const ATTRIBUTES = [
  ...['FIRSTNAME', 'LASTNAME', 'SMS', 'EXT_ID', 'CITY', 'NOTES'].map((name) => ({
    ...{ name, category: 'normal', type: 'text' },
  })),
  ...[
    { name: 'DOB', category: 'normal', type: 'date' },
    { name: 'VISITS', category: 'normal', type: 'float' },
    { name: 'VIP', category: 'normal', type: 'boolean' },
  ],
  { name: 'INTERESTS', category: 'normal', type: 'multiple-choice', multiCategoryOptions: ['wine', 'cheese'] },
  {
    ...{ name: 'CIV', category: 'category', type: 'category' },
    enumeration: [
      { value: 1, label: 'Mr' },
      { value: 2, label: 'Ms' },
    ],
  },
  { name: 'BLACKLIST', category: 'global', type: 'float', calculatedValue: 'COUNT[BLACKLISTED]' },
]
const blocked = (email: string, code: string) => ({
  ...{ email, senderEmail: '', blockedAt: AT },
  reason: { code, message: 'Admin blocked / Bounced / …' },
})
const BLOCKED = [
  blocked('hard@brevo.example', 'hardBounce'),
  blocked('spam@brevo.example', 'contactFlaggedAsSpam'),
  blocked('admin@brevo.example', 'adminBlocked'),
  blocked('gone@brevo.example', 'unsubscribedViaEmail'),
]
const mail = (id: number, name: string, subject: string | undefined, htmlContent: string) => ({
  ...{ id, name, subject, htmlContent, createdAt: AT, modifiedAt: AT, tag: '', replyTo: '[DEFAULT_REPLY_TO]' },
  sender: { id: '1', name: 'Monk', email: 'monk@brevo.example' },
})
const BODY = `<html><body><a href="{{ mirror }}">Look</a><p>Hi {{ contact.FIRSTNAME | default : "friend" }} {literally}</p>
{% if contact.CITY %}<p>{{contact.CITY}}</p>{% endif %}<a href="{{ unsubscribe }}">Leave</a></body></html>`
const TEMPLATES = [
  { ...mail(1, 'Receipt', 'Order {{ params.order }}', BODY), isActive: true, testSent: true, toField: '' },
  { ...mail(2, 'Clever', 'x', '<p>{% for item in params.items %}x{% endfor %}</p>'), isActive: true, testSent: false },
]
const CAMPAIGNS = [
  { ...mail(11, 'Summer', 'Hi {{ contact.FIRSTNAME }}', BODY), type: 'classic', status: 'sent', abTesting: false },
  {
    ...{ ...mail(12, 'Two', undefined, '<p>Two</p>'), type: 'classic', status: 'draft', abTesting: true },
    ...{ subjectA: 'One', subjectB: 'Other' },
  },
  { ...mail(13, 'Empty', 'x', ''), type: 'classic', status: 'draft', abTesting: false },
]

export const BREVO_KEY = 'xkeysib-hush-hush'

/** Brevo as its reference describes its answers, on loopback; it has had enough of the first who asks. */
export function startBrevo({ more = 0 } = {}) {
  let isTired = true
  const all: Record<string, readonly [string, readonly object[]]> = {
    '/v3/contacts': ['contacts', [...CONTACTS, ...many(more)]],
    '/v3/contacts/lists': ['lists', LISTS],
    '/v3/smtp/blockedContacts': ['contacts', BLOCKED],
    '/v3/smtp/templates': ['templates', TEMPLATES],
    '/v3/emailCampaigns': ['campaigns', CAMPAIGNS],
  }
  return startServicePeer(
    (headers) => headers['api-key'] === BREVO_KEY,
    (path, query) => {
      if (path === '/v3/contacts/attributes') return { body: { attributes: ATTRIBUTES } }
      const [name, items] = all[path] ?? []
      if (name === undefined || items === undefined) return undefined
      if (isTired) {
        isTired = false
        return { status: 429, headers: { 'x-sib-ratelimit-reset': '0' }, body: { code: 'too_many_requests' } }
      }
      const [offset, limit] = [Number(query.get('offset')), Number(query.get('limit'))]
      return { body: { [name]: stretchOf(items, { offset, limit }), count: items.length } }
    },
  )
}
