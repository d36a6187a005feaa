import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { assertNever } from '../../platform/assert-never.ts'
import { type Html, html } from '../../platform/html.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { closed } from '../../platform/schema/schemas.ts'
import { clientIp } from '../auth/client-ip.ts'
import type { Brand } from '../readers/brand.ts'
import { sendReaderPage } from '../readers/reader-page.ts'
import { fillHtml, readerTexts } from '../readers/reader-texts.ts'
import { senderName } from '../readers/sender-name.ts'
import type { ReaderTexts } from '../readers/texts/en.ts'
import type { LinkKeys } from '../tracking/link-keys.ts'
import { isDone, leadToPage, linkPages, sendUnknownLink } from '../tracking/link-page.ts'
import { readToken } from '../tracking/link-token.ts'
import { LINK_PATHS } from '../tracking/message-links.ts'
import { visitorIp } from '../tracking/visitor-ip.ts'
import {
  askForNewLink,
  type ConfirmDeps,
  type ConfirmLink,
  type ConfirmState,
  confirm,
  confirmLinkOf,
  readConfirmation,
} from './confirm.ts'

export type ConfirmPageDeps = ConfirmDeps & { keys: LinkKeys }

const PATH = `/${LINK_PATHS.confirm}/:token`
/** In the query: a new link was asked for just now. */
const ASKED = 'asked'
const schema = { hide: true, params: closed({ token: Type.String() }) } as const

/** Where the links of confirmation mails lead. Looking confirms nothing: scanners look at every link of a mail. */
export function confirmPages(app: HttpApp, deps: ConfirmPageDeps): void {
  linkPages(app, (pages) => {
    pages.get(PATH, { schema }, async (request, reply) => {
      const link = await linkOf(deps.keys, request.params.token)
      if (!link) return sendUnknownLink(reply)
      const state = await readConfirmation(deps, link)
      const isAsked = state.state === 'expired' && isDone(request, ASKED)
      return isAsked ? sendAsked(reply, state) : sendState(reply, state)
    })

    pages.post(PATH, { schema }, async (request, reply) => {
      const link = await linkOf(deps.keys, request.params.token)
      if (!link) return sendUnknownLink(reply)
      const form = request.body as Readonly<Record<string, string>> | undefined
      const here = `/${LINK_PATHS.confirm}/${request.params.token}`
      const isAsking = form?.again !== undefined
      const state = isAsking ? await askForNewLink(deps, link) : await confirm(deps, link, visitorIp(clientIp(request)))
      if (state.state === 'gone') return sendUnknownLink(reply)
      if (isAsking) return leadToPage(reply, here, state.state === 'expired' ? ASKED : undefined)
      // A page of others may promise mail, too.
      const next = state.state === 'confirmed' && !state.isSuppressed ? state.brand.confirmedUrl : null
      return next === null ? leadToPage(reply, here) : reply.redirect(new URL(next).href, 303)
    })
  })
}

async function linkOf(keys: LinkKeys, token: string): Promise<ConfirmLink | undefined> {
  const parts = await readToken(keys, 'confirm', token)
  return parts && confirmLinkOf(parts)
}

function sendState(reply: FastifyReply, state: ConfirmState): FastifyReply {
  switch (state.state) {
    case 'gone':
      return sendUnknownLink(reply)
    case 'confirmed':
      return sendCard(reply, state, ({ confirmedTitle, confirmedText, confirmedSilentText }) => [
        confirmedTitle,
        state.isSuppressed ? confirmedSilentText : confirmedText,
      ])
    case 'expired':
      return sendCard(
        reply,
        state,
        ({ expiredTitle, expiredText }) => [expiredTitle, expiredText],
        ({ newLinkButton }) => html`<button name="again" value="yes">${newLinkButton}</button>`,
      )
    case 'open':
      return sendCard(
        reply,
        state,
        ({ confirmTitle, confirmText }) => [confirmTitle, confirmText],
        ({ confirmButton }) => html`<button>${confirmButton}</button>`,
      )
    default:
      return assertNever(state)
  }
}

function sendAsked(reply: FastifyReply, about: About): FastifyReply {
  return sendCard(reply, about, ({ newLinkTitle, newLinkText }) => [newLinkTitle, newLinkText])
}

type About = { brand: Brand; topicName: string | null }
type Words = (texts: ReaderTexts) => [title: string, text: string]

function sendCard(
  reply: FastifyReply,
  { brand, topicName }: About,
  words: Words,
  button?: (texts: ReaderTexts) => Html,
): FastifyReply {
  const texts = readerTexts(brand.language)
  const [title, text] = words(texts)
  const content = html`<p>${fillHtml(text, { name: senderName(brand, topicName) })}</p>
${button && html`<form class="stack" method="post">${button(texts)}</form>`}`
  return sendReaderPage(reply, { title, content, brand })
}
