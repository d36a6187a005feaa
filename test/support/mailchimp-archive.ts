import { zipOf } from './zip-archive.ts'

const COLUMNS =
  'Email Address,First Name,Last Name,Address,Phone Number,Birthday,MEMBER_RATING,OPTIN_TIME,OPTIN_IP,CONFIRM_TIME,CONFIRM_IP,' +
  'LATITUDE,LONGITUDE,GMTOFF,DSTOFF,TIMEZONE,CC,REGION'
const MORE = 'LAST_CHANGED,LEID,EUID,NOTES,TAGS'
const UNSUB = 'UNSUB_TIME,UNSUB_CAMPAIGN_TITLE,UNSUB_CAMPAIGN_ID,UNSUB_REASON,UNSUB_REASON_OTHER'
const CLEAN = 'CLEAN_TIME,CLEAN_CAMPAIGN_TITLE,CLEAN_CAMPAIGN_ID'
const WHERE = '52.5,13.4,1,2,Europe/Berlin,DE,BE'
const MADE = '"2024-02-01 10:00:00",12345678,a1b2c3d4e5'

const row = (email: string, first: string, times: string, more: string) =>
  `${email},${first},Lovelace,"1 Main St  Springfield  IL 62701 US",,12/10,2,${times},${WHERE},${more}`

/** People of the file of subscribers: one each who confirmed, opted in alone, was added by hand, and has no address. */
const SUBSCRIBED = [
  `${COLUMNS},${MORE}`,
  row(
    'ada@move.example',
    'Ada',
    '"2023-05-02 09:15:42",192.0.2.7,"2023-05-02 09:20:00",192.0.2.8',
    `${MADE},"Likes, ""quotes""","""VIP"",""Newsletter, weekly"""`,
  ),
  row('bob@move.example', 'Bob', '"2023-05-03 10:00:00",,,', `${MADE},,"""VIP"""`),
  row('Carla@Move.example', '=Carla', ',,,', `${MADE},,`),
  row('not an address', 'Nobody', '"2023-05-03 10:00:00",,,', `${MADE},,`),
].join('\n')
const UNSUBSCRIBED = [
  `${COLUMNS},${UNSUB},${MORE}`,
  row(
    'una@move.example',
    'Una',
    '"2022-01-01 00:00:00",192.0.2.9,"2022-01-01 00:00:00",192.0.2.9',
    `"2023-06-01 08:00:00",Spring,c1,NORMAL,,${MADE},,`,
  ),
  row('spam@move.example', 'Sam', ',,"2022-01-01 00:00:00",', `"2023-06-01 08:00:00",Spring,c1,"SPAM",,${MADE},,`),
].join('\n')
const CLEANED = [
  `${COLUMNS},${CLEAN},${MORE}`,
  row('gone@move.example', 'Gone', ',,"2022-01-01 00:00:00",192.0.2.9', `"2023-07-01 08:00:00",Spring,c1,${MADE},,`),
].join('\n')
const NONSUBSCRIBED = [`${COLUMNS},${MORE}`, row('shop@move.example', 'Shop', ',,,', `${MADE},,"""Customer"""`)].join(
  '\n',
)

const TEMPLATE = `<html><head><title>News for *|FNAME|*</title></head><body><p>Hello *|FNAME|* {{ literally }}</p>
<p>*|ARCHIVE|*</p><a href="*|UNSUB|*">Unsubscribe</a></body></html>`
const CAMPAIGN = `<html><head><title>Spring</title></head><body><p>Spring, *|FNAME|*</p><a href="*|UNSUB|*">Unsubscribe</a></body></html>`

/** An export of an account, with more subscribers, or with so many bytes of who opened what, when asked for. */
export function mailchimpArchive({ more = 0, activityBytes = 0 } = {}): Buffer {
  const others = Array.from({ length: more }, (_, n) =>
    row(`p${n}@many.example`, `P${n}`, '"2023-05-03 10:00:00",,,', `${MADE},,`),
  )
  const files = {
    'lists/': '',
    'lists/members_export_0f/subscribed_members_export_0f.csv': [SUBSCRIBED, ...others, ''].join('\n'),
    'lists/members_export_0f/unsubscribed_members_export_0f.csv': `${UNSUBSCRIBED}\n`,
    'lists/members_export_0f/cleaned_members_export_0f.csv': `${CLEANED}\n`,
    'lists/members_export_0f/nonsubscribed_members_export_0f.csv': `${NONSUBSCRIBED}\n`,
    'templates/123_monthly-news.html': TEMPLATE,
    'campaigns_content/456_spring.html': CAMPAIGN,
    'granular_activity/opens/456.csv': activityBytes === 0 ? 'Email\n' : Buffer.alloc(activityBytes, 'opened '),
    '__MACOSX/._lists': '',
  }
  return zipOf(files, activityBytes === 0 ? undefined : 0)
}
