import type { IncomingHttpHeaders } from 'node:http'

/**
 * Signs in a request that speak of a machine. Each but `bare` is enough by itself:
 * - `head`: it asks whether something is there, not for it
 * - `prefetch`: it says that nobody has asked yet
 * - `agent`: it says what it is, or does not say at all
 * - `privacy_proxy`: Apple's Mail Privacy Protection loads pictures whether or not the mail is read
 * - `no_page`: it follows a link without wanting a page, or without saying in which language, as every browser does
 * - `bare`: it lacks what browsers of today send along; so do some people's
 */
export type RequestSignal = 'head' | 'prefetch' | 'agent' | 'privacy_proxy' | 'no_page' | 'bare'

export type HitKind = 'open' | 'click'

/** Programs by the name they give themselves: libraries, crawlers, previews of messengers, scanners of mail. */
const MACHINE_AGENTS = new RegExp(
  [
    String.raw`bot\b|crawl|spider|scan(?:ner)?\b|monitor|preview|prefetch|validator|linkcheck|checker`,
    'curl|wget|python|perl|ruby|java/|go-http|okhttp|libwww|httpclient|axios|undici|node-fetch|guzzle|aiohttp|httpx|winhttp',
    'headless|phantom|puppeteer|playwright|selenium|lighthouse',
    String.raw`barracuda|proofpoint|mimecast|symantec|trend ?micro|sophos|ironport|fireeye|forcepoint|zscaler|cloudmark|\bvade|abnormal`,
    String.raw`forti(?:mail|guard|gate|sandbox|net)|\bcisco|talos|\btmase?\b|tmufe|check ?point|avanan|harmony email|trellix|bitdefender`,
    'office existence discovery|skypeuri|facebookexternalhit|whatsapp/|embedly|nutch|feedfetcher|urldefense|safelinks',
  ].join('|'),
  'i',
)
/** The page or the address of whoever runs a program: in no browser's name. */
const CONTACT = /https?:\/\/|\bwww\.|\w@[\w-]{1,63}\.(?:[\w-]{1,63}\.){0,3}[a-z]{2}/i
/** `(compatible; Name`: all but the browsers and mail programs of long ago. */
const COMPATIBLE = /\(compatible;(?! {0,3}(?:msie|ms-office|konqueror|googletoolbar))/i
/** Beginnings of the names of browsers; mail programs, which load pictures, have others. */
const BROWSER = /^(?:mozilla\/[45]\.0|opera\/|ucweb|nokia|samsung|sonyericsson|blackberry|lg-|lg\/)/i
/** System and model of a telephone or tablet. Models are called CUBOT, Phantom or Ruby, and whatever comes next. */
const DEVICE = /\((?:linux|mobile|android|tablet)[^()]{0,300}(?:\([^()]{0,100}\)[^()]{0,100})?\)/i
/** Proxies of webmail that fetch a picture when its reader sees it: the reader's doing, whatever they call themselves. */
const READERS_PROXIES = /googleimageproxy|yahoomailproxy|outlook-?image|duckduckgo.{0,100}email/i
const PRIVACY_PROXY = /^mozilla\/5\.0$/i
/** Gmail's loading ahead: the name of an old Edge with an end of its own. */
const GMAIL_PREFETCH = /\bedge\/12\.246 mozilla\/5\.0$/i
/** Of a name, what is read. */
const AGENT_CHARS_MAX = 1_000
const PREFETCH = /prefetch|preview|prerender/i
const PREFETCH_HEADERS = ['purpose', 'x-purpose', 'sec-purpose', 'x-moz'] as const

export function requestSignals(kind: HitKind, method: string, headers: IncomingHttpHeaders): RequestSignal[] {
  const agent = headers['user-agent']?.trim() ?? ''
  const signals: RequestSignal[] = []
  if (method === 'HEAD') signals.push('head')
  if (PREFETCH_HEADERS.some((name) => PREFETCH.test(String(headers[name] ?? '')))) signals.push('prefetch')
  else if (GMAIL_PREFETCH.test(agent)) signals.push('prefetch')
  if (isMachineAgent(kind, agent)) signals.push('agent')
  if (PRIVACY_PROXY.test(agent)) signals.push('privacy_proxy')
  if (kind === 'click' && !wantsPage(headers)) signals.push('no_page')
  if (headers['sec-fetch-mode'] === undefined) signals.push('bare')
  return signals
}

/** Whether a program calls itself one, or does not say what it is. */
export function isMachineAgent(kind: HitKind, agent: string): boolean {
  if (READERS_PROXIES.test(agent)) return false
  const named = agent.slice(0, AGENT_CHARS_MAX).replace(DEVICE, '()')
  if (named === '' || named === 'node' || MACHINE_AGENTS.test(named)) return true
  // A page is wanted by browsers alone.
  return CONTACT.test(named) || COMPATIBLE.test(named) || (kind === 'click' && !BROWSER.test(named))
}

function wantsPage({ accept = '', 'accept-language': language = '' }: IncomingHttpHeaders): boolean {
  return accept.includes('text/html') && language.trim() !== ''
}
