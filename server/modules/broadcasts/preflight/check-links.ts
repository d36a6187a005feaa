import { shortenedText } from '../../../platform/cut-text.ts'
import type { GuardedClient } from '../../../platform/net/guarded-client.ts'
import { lineFinder } from '../../templates/layout/source-lines.ts'
import type { Check } from './preflight-schemas.ts'

/** Links that one preflight asks for, and for how long in all. */
const ASKED_MAX = 20
const ASK_DEADLINE_MS = 4_000
const AT_ONCE = 5
/** Answers of servers that refuse machines or this way of asking: a person may well get another one. */
const NO_VERDICT = new Set([401, 403, 405, 406, 429, 501, 503, 999])

const LIQUID = /\{[{%]/
const OTHER_SCHEMES = /^(mailto|tel|sms|cid):/i

/** Links that cannot lead anywhere, as they are written; those with Liquid in them are judged when they are rendered. */
export function checkLinks(links: readonly string[], body: string): Check[] {
  const written = [...new Set(links)].filter((link) => !LIQUID.test(link))
  return [...emptyLinks(body), ...written.flatMap((link) => checkLink(link, body))]
}

/** Empty targets that editors leave where a link is still to come. They are no links to the template. */
const NOWHERE = /\bhref\s*=\s*(?:""|''|"#"|'#')/gi

function emptyLinks(body: string): Check[] {
  const lineOf = lineFinder(body)
  const lines = [...body.matchAll(NOWHERE)].map(({ index }) => lineOf(index))
  const detail = 'A link leads nowhere.'
  return [...new Set(lines)].map((line) => ({ code: 'link_broken', severity: 'warning', field: 'body', line, detail }))
}

function checkLink(link: string, body: string): Check[] {
  const at = (code: Check['code'], detail: string): Check[] => [
    { code, severity: 'warning', field: 'body', line: lineOf(body, link), detail },
  ]
  const address = link.trim()
  if (address === '' || address.startsWith('#') || OTHER_SCHEMES.test(address)) return []
  if (!/^https?:/i.test(address)) {
    return at('link_broken', `The link ${shown(address)} is no whole address: begin it with https://`)
  }
  if (!URL.canParse(address)) return at('link_broken', `The link ${shown(address)} is no address.`)
  const { hostname, protocol } = new URL(address)
  if (!hostname.includes('.') && !hostname.includes(':')) {
    return at('link_broken', `The link ${shown(address)} names no host that recipients can reach.`)
  }
  if (protocol === 'http:') return at('link_insecure', `The link ${shown(address)} is not encrypted: use https.`)
  return []
}

const SHOWN_CHARS_MAX = 200
const shown = (link: string) => shortenedText(link, SHOWN_CHARS_MAX)

function lineOf(body: string, link: string): number | null {
  const at = link === '' ? -1 : body.indexOf(link)
  return at === -1 ? null : body.slice(0, at).split('\n').length
}

/** Asks each link's server, by the guarded way out, whether it answers. */
export async function askLinks(client: GuardedClient, links: readonly string[], body: string): Promise<Check[]> {
  const waiting = links.slice(0, ASKED_MAX)
  const until = performance.now() + ASK_DEADLINE_MS
  const found: Check[] = []
  const ask = async () => {
    for (let link = waiting.shift(); link !== undefined; link = waiting.shift()) {
      const deadlineMs = Math.round(until - performance.now())
      if (deadlineMs <= 0) return
      const detail = await answerOf(client, link, deadlineMs)
      if (detail === null) continue
      const code = detail.startsWith('answers') ? 'link_broken' : 'link_unanswered'
      const line = lineOf(body, link)
      found.push({ code, severity: 'warning', field: 'body', line, detail: `The link ${shown(link)} ${detail}.` })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, ask))
  return found
}

async function answerOf(client: GuardedClient, url: string, deadlineMs: number): Promise<string | null> {
  const exchange = await client.send({ method: 'GET', url, headers: { accept: 'text/html,*/*' }, deadlineMs })
  if (exchange.outcome !== 'answered') return 'could not be reached'
  const { status } = exchange
  return status < 400 || NO_VERDICT.has(status) ? null : `answers ${status}`
}
