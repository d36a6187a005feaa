import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { assertNever } from '../../platform/assert-never.ts'
import { html } from '../../platform/html.ts'
import type { HttpApp } from '../../platform/http/server.ts'
import { closed } from '../../platform/schema/schemas.ts'
import { clientIp } from '../auth/client-ip.ts'
import type { LinkKeys } from '../tracking/link-keys.ts'
import { linkPages, sendLinkPage, sendUnknownLink } from '../tracking/link-page.ts'
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
const schema = { hide: true, params: closed({ token: Type.String() }) } as const

/** Where the links of confirmation mails lead. Looking confirms nothing: scanners look at every link of a mail. */
export function confirmPages(app: HttpApp, deps: ConfirmPageDeps): void {
  linkPages(app, (pages) => {
    pages.get(PATH, { schema }, async (request, reply) => {
      const link = await linkOf(deps.keys, request.params.token)
      return link ? sendState(reply, await readConfirmation(deps, link)) : sendUnknownLink(reply)
    })

    pages.post(PATH, { schema }, async (request, reply) => {
      const link = await linkOf(deps.keys, request.params.token)
      if (!link) return sendUnknownLink(reply)
      const form = request.body as Readonly<Record<string, string>> | undefined
      if (form?.again === undefined) return sendState(reply, await confirm(deps, link, visitorIp(clientIp(request))))
      const state = await askForNewLink(deps, link)
      return state.state === 'expired' ? sendAsked(reply) : sendState(reply, state)
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
      return sendLinkPage(
        reply,
        'Thank you',
        html`<p>It is confirmed: <strong>${state.workspaceName}</strong> writes to you from now on. Each mail has a link that ends it.</p>`,
      )
    case 'expired':
      return sendLinkPage(
        reply,
        'This link is over',
        html`<p>It came too late to confirm mail from <strong>${state.workspaceName}</strong>. We can send you a new one.</p>
<form class="stack" method="post"><button name="again" value="yes">Send a new link</button></form>`,
      )
    case 'open':
      return sendLinkPage(
        reply,
        'Do you want this mail?',
        html`<p><strong>${state.workspaceName}</strong> would like to write to you. It does so only if you say yes.</p>
<form class="stack" method="post"><button>Yes, I want it</button></form>`,
      )
    default:
      return assertNever(state)
  }
}

function sendAsked(reply: FastifyReply): FastifyReply {
  return sendLinkPage(reply, 'Look into your mail', html`<p>A new link is on its way to you.</p>`)
}
