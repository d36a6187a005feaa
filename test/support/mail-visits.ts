import type { IncomingHttpHeaders } from 'node:http'
import type { HitKind } from '../../server/modules/tracking/request-signals.ts'

/** One request for the picture or a link of a message, and who truly made it. */
export type Visit = {
  by: string
  isMachine: boolean
  method: 'GET' | 'HEAD'
  kind: HitKind
  link: number | null
  /** After the receiver's server took the message. */
  afterMs: number
  ip: string
  headers: IncomingHttpHeaders
}

const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36'
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0'
const SAFARI =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1'
const OLD_ANDROID =
  'Mozilla/5.0 (Linux; Android 8.0.0; SM-G930F) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/71.0.3578.99 Mobile Safari/537.36'
const OUTLOOK = 'Mozilla/4.0 (compatible; ms-office; MSOffice 16)'
const THUNDERBIRD = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Thunderbird/140.4.0'
const GMAIL_PROXY = 'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)'
const YAHOO_PROXY = 'YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html'

const PAGE = {
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'accept-language': 'en-GB,en;q=0.9',
}
const NAVIGATES = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', 'upgrade-insecure-requests': '1' }
const SECOND = 1_000
const HOUR = 3_600_000

type Random = { below(count: number): number; between(from: number, to: number): number; of<T>(items: readonly T[]): T }

/**
 * The visits of each kind of author to a mail of `links` links. Written down from descriptions of their behaviour, not
 * from ours.
 */
type Author = (random: Random, links: number) => Omit<Visit, 'by' | 'isMachine'>[]

const browser = (random: Random) => ({ ...PAGE, ...NAVIGATES, 'user-agent': random.of([CHROME, FIREFOX, SAFARI]) })
const address = (random: Random) =>
  `${random.between(11, 99)}.${random.below(256)}.${random.below(256)}.${random.between(1, 254)}`
const all = (links: number) => Array.from({ length: links }, (_, link) => link)

const click = (
  link: number,
  afterMs: number,
  ip: string,
  headers: IncomingHttpHeaders,
  method: 'GET' | 'HEAD' = 'GET',
) => ({ method, kind: 'click', link, afterMs, ip, headers }) as const
const open = (afterMs: number, ip: string, headers: IncomingHttpHeaders) =>
  ({ method: 'GET', kind: 'open', link: null, afterMs, ip, headers }) as const

const PEOPLE: Readonly<Record<string, Author>> = {
  'a reader in a browser'(random, links) {
    const ip = address(random)
    const at = random.between(8 * SECOND, 30 * HOUR)
    const image = { 'user-agent': CHROME, accept: 'image/*', 'accept-language': 'de', 'sec-fetch-mode': 'no-cors' }
    return [
      open(at, ip, image),
      click(random.below(links), at + random.between(2 * SECOND, 90 * SECOND), ip, browser(random)),
    ]
  },
  'a reader of Gmail'(random, links) {
    const at = random.between(6 * SECOND, 30 * HOUR)
    const opened = open(at, '66.249.93.1', { 'user-agent': GMAIL_PROXY })
    return [
      opened,
      click(random.below(links), at + random.between(3 * SECOND, 60 * SECOND), address(random), browser(random)),
    ]
  },
  'a reader of Yahoo who only opens': (random) => [
    open(random.between(6 * SECOND, 30 * HOUR), '98.137.1.1', { 'user-agent': YAHOO_PROXY }),
  ],
  'a reader in a mail program'(random, links) {
    const ip = address(random)
    const at = random.between(10 * SECOND, 30 * HOUR)
    const program = random.of([OUTLOOK, THUNDERBIRD])
    return [open(at, ip, { 'user-agent': program }), click(random.below(links), at + 9 * SECOND, ip, browser(random))]
  },
  'a reader with an old telephone': (random, links) => [
    click(random.below(links), random.between(20 * SECOND, 30 * HOUR), address(random), {
      ...PAGE,
      'user-agent': OLD_ANDROID,
    }),
  ],
  'somebody who opens two links in tabs'(random) {
    const ip = address(random)
    const at = random.between(10 * SECOND, 9 * HOUR)
    return [click(0, at, ip, browser(random)), click(1, at + random.between(700, 3_000), ip, browser(random))]
  },
  'somebody who was waiting for the mail': (random, links) => [
    click(random.below(links), random.between(2_500, 9_000), address(random), browser(random)),
  ],
  'somebody who comes back again and again'(random, links) {
    const ip = address(random)
    const link = random.below(links)
    return [1, 2, 3].map((n) => click(link, n * random.between(30 * SECOND, HOUR), ip, browser(random)))
  },
}

const MACHINES: Readonly<Record<string, Author>> = {
  'a gateway that asks for every link by HEAD'(random, links) {
    const ip = address(random)
    const at = random.between(200, 20 * SECOND)
    return all(links).map((link) => click(link, at + link * 40, ip, { 'user-agent': CHROME, accept: '*/*' }, 'HEAD'))
  },
  'a gateway that follows every link as a browser, minutes later'(random, links) {
    const ip = address(random)
    const at = random.between(60 * SECOND, 600 * SECOND)
    return all(links).map((link) => click(link, at + link * random.between(50, 700), ip, browser(random)))
  },
  'a sandbox that opens one link as a browser at once': (random, links) => [
    click(random.below(links), random.between(150, 1_900), address(random), browser(random)),
  ],
  'a scanner that knocks by HEAD and then looks as a browser'(random, links) {
    const ip = address(random)
    const at = random.between(5 * SECOND, 300 * SECOND)
    const link = random.below(links)
    return [
      click(link, at, ip, { 'user-agent': CHROME }, 'HEAD'),
      click(link, at + random.between(100, 2_000), ip, browser(random)),
    ]
  },
  'a scanner under its own name': (random, links) => [
    click(random.below(links), random.between(SECOND, HOUR), address(random), {
      ...PAGE,
      'user-agent': random.of([
        'BarracudaCentral/1.0',
        'ProofpointURLDefense',
        'Mimecast-URL-Protect',
        'Sophos URL checker',
      ]),
    }),
  ],
  'a program': (random, links) => [
    click(random.below(links), random.between(SECOND, HOUR), address(random), {
      accept: '*/*',
      'user-agent': random.of([
        'curl/8.14.1',
        'python-requests/2.32.3',
        'Go-http-client/2.0',
        'Java/21.0.4',
        'node',
        '',
      ]),
    }),
  ],
  'a program that pretends to be a browser and asks for no language': (random, links) => [
    click(random.below(links), random.between(10 * SECOND, HOUR), address(random), {
      accept: PAGE.accept,
      'user-agent': CHROME,
    }),
  ],
  'a preview of a messenger': (random, links) => [
    click(random.below(links), random.between(20 * SECOND, HOUR), address(random), {
      ...PAGE,
      'user-agent': random.of(['WhatsApp/2.23', 'Slackbot-LinkExpanding 1.0', 'TelegramBot (like TwitterBot)']),
    }),
  ],
  'a browser that loads ahead': (random, links) => [
    click(random.below(links), random.between(20 * SECOND, HOUR), address(random), {
      ...browser(random),
      'sec-purpose': 'prefetch',
    }),
  ],
  'Mail Privacy Protection': (random) => [
    open(random.between(SECOND, HOUR), '17.58.101.1', { 'user-agent': 'Mozilla/5.0', accept: '*/*' }),
  ],
  'a proxy that loads pictures on arrival': (random) => [
    open(random.between(50, 1_500), '66.249.84.1', { 'user-agent': GMAIL_PROXY }),
  ],
  'a scanner in the guise of an old browser, soon': (random, links) => [
    click(random.below(links), random.between(1_000, 4_800), address(random), { ...PAGE, 'user-agent': OLD_ANDROID }),
  ],
  // Nothing tells it from a reader: what nobody finds out belongs into an honest measurement.
  'a sandbox that opens one link as a browser, minutes later': (random, links) =>
    random.below(4) === 0
      ? [click(random.below(links), random.between(60, 600) * SECOND, address(random), browser(random))]
      : [],
}

/** The visits to one message, by an author of the wanted side. */
export function visitsOf(side: 'people' | 'machines', nth: number, random: () => number): Visit[] {
  const given: Random = {
    below: (count) => Math.floor(random() * count),
    between: (from, to) => Math.round(from + random() * (to - from)),
    of: (items) => items[Math.floor(random() * items.length)]!,
  }
  const authors = Object.entries(side === 'people' ? PEOPLE : MACHINES)
  const [by, author] = authors[nth % authors.length]!
  return author(given, given.between(4, 12)).map((visit) => ({ by, isMachine: side === 'machines', ...visit }))
}
