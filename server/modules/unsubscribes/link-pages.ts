import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { type Html, html } from '../../platform/html.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { closed } from '../../platform/schema/schemas.ts'
import { clientIp } from '../auth/client-ip.ts'
import { sendReaderPage } from '../readers/reader-page.ts'
import { fillHtml, readerTexts } from '../readers/reader-texts.ts'
import type { LinkKeys } from '../tracking/link-keys.ts'
import { isDone, leadToPage, linkPages, sendUnknownLink } from '../tracking/link-page.ts'
import { readToken } from '../tracking/link-token.ts'
import { LINK_PATHS, type LinkedMessage, linkedMessageOf } from '../tracking/message-links.ts'
import { visitorIp } from '../tracking/visitor-ip.ts'
import {
  choosePreferences,
  type PreferenceDeps,
  type Preferences,
  readPreferences,
  unsubscribeByLink,
} from './preferences.ts'
import { automationIdOf, topicIdOf } from './source-ids.ts'

export type LinkPageDeps = PreferenceDeps & { keys: LinkKeys }

const params = closed({ token: Type.String() })
const schema = { hide: true, params } as const

/**
 * Where the unsubscribe and preference links of mails lead. Looking changes nothing, however often scanners look: only a
 * POST does, that of a mail program by RFC 8058 or of the button on the page.
 */
export function unsubscribeLinkRoutes(app: HttpApp, deps: LinkPageDeps): void {
  linkPages(app, (pages) => {
    unsubscribePages(pages, deps)
    preferencePages(pages, deps)
  })
}

/** The field of the page's own button, which mail programs do not send: they are answered at once, and led nowhere. */
const BY_PAGE = 'page'
/** In the query of the preference page: what it shows was saved just now. */
const SAVED = 'saved'

function unsubscribePages(pages: HttpApp, deps: LinkPageDeps): void {
  const path = `/${LINK_PATHS.unsubscribe}/:token`

  pages.get(path, { schema }, async (request, reply) => {
    const link = await linkOf(deps.keys, request.params.token)
    const preferences = link && (await readPreferences(deps, link))
    if (!link || !preferences) return sendUnknownLink(reply)
    if (isOut(link, preferences)) return sendUnsubscribed(reply, { link, preferences, token: request.params.token })
    const { brand } = preferences
    const texts = readerTexts(brand.language)
    const text = fillHtml(texts.unsubscribeText, valuesOf(link, preferences, link.sendingSource))
    const content = html`<p>${text}</p>
<form class="stack" method="post"><button name="${BY_PAGE}" value="yes">${texts.unsubscribeButton}</button></form>
<p class="row"><a href="/${LINK_PATHS.preferences}/${request.params.token}">${texts.chooseInstead}</a></p>`
    return sendReaderPage(reply, { title: texts.unsubscribeTitle, content, brand })
  })

  pages.post(path, { schema }, async (request, reply) => {
    const link = await linkOf(deps.keys, request.params.token)
    const wish = { sendingSource: link?.sendingSource ?? '', ip: visitorIp(clientIp(request)) }
    const preferences = link && (await unsubscribeByLink(deps, link, wish))
    if (!link || !preferences) return sendUnknownLink(reply)
    const form = request.body as Readonly<Record<string, string>> | undefined
    if (form?.[BY_PAGE] !== undefined) return leadToPage(reply, `/${LINK_PATHS.unsubscribe}/${request.params.token}`)
    return sendUnsubscribed(reply, { link, preferences, token: request.params.token })
  })
}

function preferencePages(pages: HttpApp, deps: LinkPageDeps): void {
  const path = `/${LINK_PATHS.preferences}/:token`

  pages.get(path, { schema }, async (request, reply) => {
    const link = await linkOf(deps.keys, request.params.token)
    const preferences = link && (await readPreferences(deps, link))
    if (!link || !preferences) return sendUnknownLink(reply)
    return sendPreferences(reply, { link, preferences, saved: isDone(request, SAVED) })
  })

  pages.post(path, { schema }, async (request, reply) => {
    const link = await linkOf(deps.keys, request.params.token)
    if (!link) return sendUnknownLink(reply)
    const form = request.body as Readonly<Record<string, string>> | undefined
    const ip = visitorIp(clientIp(request))
    const preferences =
      form?.nothing === undefined
        ? await choosePreferences(deps, link, { wanted: Object.keys(form ?? {}), ip })
        : await unsubscribeByLink(deps, link, { sendingSource: 'everything', ip })
    if (!preferences) return sendUnknownLink(reply)
    return leadToPage(reply, `/${LINK_PATHS.preferences}/${request.params.token}`, SAVED)
  })
}

/** Mail of a topic that is no more is left with all newsletters. */
function isOut({ sendingSource }: LinkedMessage, { nothing, sources }: Preferences): boolean {
  const meant =
    sources.find(({ source }) => source === sendingSource) ?? sources.find(({ source }) => source === 'broadcasts')
  return nothing || meant?.wanted === false
}

async function linkOf(keys: LinkKeys, token: string): Promise<LinkedMessage | undefined> {
  const parts = await readToken(keys, 'unsubscribe', token)
  return parts && linkedMessageOf(parts)
}

function sendUnsubscribed(
  reply: FastifyReply,
  { link, preferences, token }: { link: LinkedMessage; preferences: Preferences; token: string },
): FastifyReply {
  const { brand, nothing } = preferences
  const texts = readerTexts(brand.language)
  const values = valuesOf(link, preferences, nothing ? 'everything' : link.sendingSource)
  const content = html`<p>${fillHtml(texts.unsubscribedText, values)}</p>
<p class="row"><a href="/${LINK_PATHS.preferences}/${token}">${texts.changeChoice}</a></p>`
  return sendReaderPage(reply, { title: texts.unsubscribedTitle, content, brand })
}

function sendPreferences(
  reply: FastifyReply,
  { link, preferences, saved }: { link: LinkedMessage; preferences: Preferences; saved: boolean },
): FastifyReply {
  const { nothing, sources, brand } = preferences
  const texts = readerTexts(brand.language)
  const options = sources.map(
    ({ source, wanted, description }) =>
      html`<label class="option"><input type="checkbox" name="${source}"${CHECKED(wanted && !nothing)}>
<span>${described(source, preferences)}${description && html`<br><span class="soft">${description}</span>`}</span></label>`,
  )
  const all = html`<form class="stack" method="post"><button class="plain" name="nothing" value="yes">${texts.nothing}</button></form>`
  const content = html`${saved && html`<p class="good" role="status">${texts.saved}</p>`}
<p>${fillHtml(texts.preferencesText, valuesOf(link, preferences, ''))}</p>
<form class="stack" method="post">${options}<button>${texts.save}</button></form>
${!nothing && all}
<p class="soft">${texts.alwaysComes}</p>`
  return sendReaderPage(reply, { title: texts.preferencesTitle, content, brand })
}

const CHECKED = (isChecked: boolean): Html | false => isChecked && html` checked`

function valuesOf(link: LinkedMessage, preferences: Preferences, source: string) {
  const { name } = preferences.brand
  const address = html`<span class="whole">${masked(link.destination)}</span>`
  return { name, address, what: described(source, preferences) }
}

function described(source: string, { brand, sources }: Preferences): string {
  const texts = readerTexts(brand.language)
  const topic = sources.find((one) => one.source === source)?.name
  if (topic !== undefined) return topic
  // Mail of a topic that is no more is left with all newsletters.
  if (source === 'broadcasts' || topicIdOf(source) !== undefined) return texts.newsletters
  if (source === 'everything') return texts.anything
  if (source !== 'automations') return texts.series
  return sources.some((one) => automationIdOf(one.source) !== undefined) ? texts.otherSeries : texts.allSeries
}

/** Enough for its owner, too little for whom the mail was forwarded to. */
function masked(address: string): string {
  const at = address.lastIndexOf('@')
  return `${address.slice(0, Math.min(at, 2))}…${address.slice(at)}`
}
