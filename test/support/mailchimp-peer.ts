import { startServicePeer, stretchOf } from './service-peer.ts'

const SIGNUP = '2023-05-02T09:15:42+00:00'
const CONFIRMED = '2023-05-02T09:20:00+00:00'
const member = (email: string, status: string, more: object) => ({
  ...{ id: 'a1b2', email_address: email, unique_email_id: 'e1', contact_id: 'c1', full_name: '', web_id: 1 },
  ...{ email_type: 'html', status, merge_fields: { FNAME: '', LNAME: '', ADDRESS: '', BIRTHDAY: '', PLAN: '' } },
  ...{ ip_signup: '', timestamp_signup: '', ip_opt: '', timestamp_opt: '', last_changed: CONFIRMED, language: '' },
  ...{ vip: false, tags_count: 0, tags: [] as object[], list_id: 'l1', stats: { avg_open_rate: 0 }, ...more },
})
const CLUB = [
  member('ada@chimp.example', 'subscribed', {
    merge_fields: {
      ...{ FNAME: 'Ada', LNAME: 'Lovelace', BIRTHDAY: '12/10', PLAN: 7 },
      ADDRESS: { addr1: '1 Main St', addr2: '', city: 'Springfield', state: 'IL', zip: '62701', country: 'US' },
    },
    ...{ ip_signup: '192.0.2.7', timestamp_signup: SIGNUP, ip_opt: '192.0.2.8', timestamp_opt: CONFIRMED },
    tags: [{ id: 1, name: 'VIP, gold' }],
  }),
  member('byhand@chimp.example', 'subscribed', {}),
  member('waiting@chimp.example', 'pending', { ip_signup: '192.0.2.7', timestamp_signup: SIGNUP }),
  member('left@chimp.example', 'unsubscribed', { unsubscribe_reason: 'N/A (Unsubscribed by admin)' }),
  member('cleaned@chimp.example', 'cleaned', { timestamp_opt: CONFIRMED }),
  member('shop@chimp.example', 'transactional', {}),
]
const SINGLE = [member('single@chimp.example', 'subscribed', { timestamp_opt: CONFIRMED, ip_opt: '192.0.2.9' })]
const LISTS = [
  { id: 'l1', web_id: 1, name: 'Club', double_optin: true, stats: { member_count: 2 } },
  { id: 'l2', web_id: 2, name: 'News', double_optin: false, stats: { member_count: 1 } },
]
const FIELDS = [
  { merge_id: 1, tag: 'FNAME', name: 'First Name', type: 'text', required: false },
  { merge_id: 2, tag: 'LNAME', name: 'Last Name', type: 'text', required: false },
  { merge_id: 3, tag: 'ADDRESS', name: 'Address', type: 'address', required: false },
  { merge_id: 4, tag: 'BIRTHDAY', name: 'Birthday', type: 'birthday', required: false },
  { merge_id: 5, tag: 'PLAN', name: 'Plan', type: 'number', required: false },
]
const campaign = (id: string, type: string, title: string) => ({
  ...{ id, web_id: 1, type, status: 'sent', create_time: SIGNUP, emails_sent: 3 },
  settings: { title, subject_line: 'News for *|FNAME|*', from_name: 'Club', reply_to: 'club@chimp.example' },
})
const CAMPAIGNS = [campaign('k1', 'regular', 'Spring'), campaign('k2', 'rss', 'Feed'), campaign('k3', 'plaintext', '')]
const HTML = `<html><body><p>*|FNAME|*, *|PLAN|*, *|ARCHIVE|* {{ braces }}</p><a href="*|UNSUB|*">Leave</a></body></html>`

export const MAILCHIMP_KEY = '0123456789abcdef0123456789abcdef-us21'

/** Mailchimp's Marketing API 3.0 as its reference describes its answers, on loopback. */
export function startMailchimp() {
  const basic = `Basic ${Buffer.from(`postroom:${MAILCHIMP_KEY}`).toString('base64')}`
  const lists: Record<string, [string, readonly object[]]> = {
    '/3.0/lists': ['lists', LISTS],
    '/3.0/lists/l1/members': ['members', CLUB],
    '/3.0/lists/l2/members': ['members', SINGLE],
    '/3.0/lists/l1/merge-fields': ['merge_fields', FIELDS],
    '/3.0/lists/l2/merge-fields': ['merge_fields', FIELDS.slice(0, 2)],
    '/3.0/lists/l1/abuse-reports': ['abuse_reports', []],
    '/3.0/lists/l2/abuse-reports': [
      'abuse_reports',
      [{ id: 42, campaign_id: 'k1', list_id: 'l2', email_id: 'e', email_address: 'spam@chimp.example', date: SIGNUP }],
    ],
    '/3.0/templates': ['templates', [{ id: 9, type: 'user', name: 'Monthly', drag_and_drop: true, active: true }]],
    '/3.0/campaigns': ['campaigns', CAMPAIGNS],
  }
  return startServicePeer(
    ({ authorization }) => authorization === basic,
    (path, query) => {
      if (path === '/3.0/campaigns/k1/content')
        return { body: { plain_text: 'Spring', html: HTML, archive_html: HTML } }
      if (path === '/3.0/campaigns/k3/content') return { body: { plain_text: 'Hello *|FNAME|*' } }
      const [name, items] = lists[path] ?? []
      if (name === undefined || items === undefined) return undefined
      const [offset, limit] = [Number(query.get('offset')), Number(query.get('count'))]
      return { body: { [name]: stretchOf(items, { offset, limit }), list_id: 'l', total_items: items.length } }
    },
  )
}
