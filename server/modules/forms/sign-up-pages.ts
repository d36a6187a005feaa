import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { assertNever } from '../../platform/assert-never.ts'
import { type Html, html } from '../../platform/html.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { closed } from '../../platform/schema/schemas.ts'
import { clientIp } from '../auth/client-ip.ts'
import { sendReaderPage } from '../readers/reader-page.ts'
import { fillHtml, readerTexts } from '../readers/reader-texts.ts'
import type { LinkKeys } from '../tracking/link-keys.ts'
import { leadToPage, linkPages, sendUnknownLink } from '../tracking/link-page.ts'
import { LINK_PATHS } from '../tracking/message-links.ts'
import { confirmSignUp, denySignUp, readSignUp, type SignUpDeps, type SignUpState } from './confirm-sign-up.ts'
import { signUpLinkOf } from './sign-up-link.ts'

export type SignUpPageDeps = SignUpDeps & { linkKeys: LinkKeys }

const PATH = `/${LINK_PATHS.signUp}/:token`
const schema = { hide: true, params: closed({ token: Type.String() }) } as const

/** Where the link of a sign-up's mail leads. Looking confirms nothing: scanners look at every link of a mail. */
export function signUpPages(app: HttpApp, deps: SignUpPageDeps): void {
  linkPages(app, (pages) => {
    pages.get(PATH, { schema }, async (request, reply) => {
      const link = await signUpLinkOf(deps.linkKeys, request.params.token)
      return link ? sendState(reply, await readSignUp(deps, link)) : sendUnknownLink(reply)
    })

    pages.post(PATH, { schema }, async (request, reply) => {
      const link = await signUpLinkOf(deps.linkKeys, request.params.token)
      if (!link) return sendUnknownLink(reply)
      const { notMe } = (request.body ?? {}) as Readonly<Record<string, string>>
      const here = `/${LINK_PATHS.signUp}/${request.params.token}`
      const isDenied = notMe !== undefined
      const state = isDenied ? await denySignUp(deps, link) : await confirmSignUp(deps, link, clientIp(request))
      if (state.state === 'gone') return sendUnknownLink(reply)
      // A page of others may promise mail, too.
      const next = state.state === 'confirmed' && !state.isSuppressed && !isDenied ? state.brand.confirmedUrl : null
      return next === null ? leadToPage(reply, here) : reply.redirect(new URL(next).href, 303)
    })
  })
}

function sendState(reply: FastifyReply, shown: SignUpState): FastifyReply {
  if (shown.state === 'gone') return sendUnknownLink(reply)
  const { brand, formKey } = shown
  const texts = readerTexts(brand.language)
  const send = (title: string, text: string, more?: Html) => {
    const content = html`<p>${fillHtml(text, { name: brand.name })}</p>${more}`
    return sendReaderPage(reply, { title, content, brand })
  }
  switch (shown.state) {
    case 'open':
      return send(
        texts.confirmTitle,
        texts.confirmText,
        html`<form class="stack" method="post"><button>${texts.confirmButton}</button></form>
<form class="stack" method="post"><button class="plain" name="notMe" value="yes">${texts.notMeButton}</button></form>`,
      )
    case 'confirmed': {
      const date = new Intl.DateTimeFormat(brand.language, { dateStyle: 'long', timeZone: 'UTC' }).format(
        new Date(shown.consent.at),
      )
      const receipt = html`<p class="soft">${fillHtml(texts.receiptText, { date })}</p><p class="soft">${shown.consent.wording}</p>`
      return send(texts.confirmedTitle, shown.isSuppressed ? texts.confirmedSilentText : texts.confirmedText, receipt)
    }
    case 'over':
      return send(
        texts.expiredTitle,
        texts.againText,
        html`<p><a class="button" href="/f/${formKey}">${texts.againLink}</a></p>`,
      )
    case 'blocked':
      return send(texts.notMeTitle, texts.notMeText)
    default:
      return assertNever(shown)
  }
}
