import { type Html, html } from '../../platform/html.ts'
import type { Page } from '../../platform/http/page.ts'
import type { Membership } from '../auth/people.ts'
import { cardPage, notice } from '../pages/app-page.ts'
import type { Client } from './client-metadata.ts'
import { CONNECT_PAGE_PATH } from './metadata.ts'
import { isOwnMachine } from './redirect-uri.ts'
import { SCOPE_WORDS } from './scope-words.ts'
import type { ShownRequest } from './sealed-request.ts'

const PROOF_FIELDS = {
  code: html`<label for="code">Code of your app, or a recovery code</label>
<input id="code" name="code" autocomplete="one-time-code" required>`,
  password: html`<label for="password">Your password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required>`,
}

export type Choice = { workspace?: string | undefined; scopes?: readonly string[] }

export type Consenting = ShownRequest & {
  sealed: string
  email: string
  /** Those into which the person may let it. */
  workspaces: readonly Membership[]
  /** A code of who has a second factor. */
  asks: 'code' | 'password'
  chosen?: Choice
  fault?: string
}

/** The page that says who asks to be let in, from where, into which workspace and to what, and takes the person's answer. */
export function consentPage({ asked, client, sealed, email, workspaces, asks, chosen = {}, fault }: Consenting): Page {
  const target = new URL(asked.redirectUri)
  const left = new Set(chosen.scopes ?? asked.scopes)
  const content = html`${notice(fault)}<p>It wants to work in a workspace of yours, by the Model Context Protocol.</p>
<dl><dt>Described by</dt><dd>${whoSays(client)}</dd><dt>Leads back to</dt><dd><strong>${target.host}</strong>${
    isOwnMachine(asked.redirectUri) && html`, a program on this computer`
  }</dd><dt>You are</dt><dd>${email}</dd></dl>
${warningOf(client, asked.redirectUri)}
<form class="stack" method="post" action="${CONNECT_PAGE_PATH}"><input type="hidden" name="request" value="${sealed}">
${workspaceField(workspaces, chosen.workspace)}
<fieldset><legend>It may</legend>${asked.scopes.map(
    (scope) =>
      html`<label class="option"><input type="checkbox" name="${scope}" value="on"${left.has(scope) && html` checked`}>
<span>${SCOPE_WORDS[scope]}</span></label>`,
  )}</fieldset>
<p class="soft">Nothing goes out before somebody approves it here, unless you give it a budget later. It never reads or changes
members, tokens, integrations or webhooks. Disconnect it on the page of tokens.</p>
${PROOF_FIELDS[asks]}
<button name="answer" value="connect">Connect</button>
<button class="plain" name="answer" value="refuse" formnovalidate>Refuse</button></form>`
  return { ...cardPage(`Connect ${client.name}?`, content), formTargets: [formTarget(target)] }
}

/** Where the answer may be led to: a policy has no way to write an address of IPv6. */
function formTarget({ hostname, origin }: URL): string {
  return hostname.startsWith('[') ? 'http:' : origin
}

function whoSays({ host }: Client): Html {
  return host === null ? html`itself; nobody has checked its name` : html`<strong>${host}</strong>`
}

/** A description that is published somewhere proves nothing about a program on somebody's own machine. */
function warningOf({ host }: Client, redirectUri: string): Html | undefined {
  if (isOwnMachine(redirectUri))
    return html`<p class="notice">Go on only if you have just started this yourself, in a program on this computer.</p>`
  if (host === null || new URL(redirectUri).host !== host)
    return html`<p class="notice">Go on only if you came here from ${new URL(redirectUri).host} yourself.</p>`
  return undefined
}

function workspaceField(workspaces: readonly Membership[], chosen: string | undefined): Html {
  const [only, ...others] = workspaces
  if (others.length === 0)
    return html`<p>Workspace <strong>${only?.name}</strong></p><input type="hidden" name="workspace" value="${only?.slug}">`
  const options = workspaces.map(
    ({ slug, name }) =>
      html`<label class="option"><input type="radio" name="workspace" value="${slug}" required${
        slug === chosen && html` checked`
      }><span>${name}</span></label>`,
  )
  return html`<fieldset><legend>Workspace</legend>${options}</fieldset>`
}

/** For a question that is none: nobody is led anywhere by it, whoever wrote it. */
export function refusedPage(words: string): Page {
  return cardPage(
    'This agent cannot be connected',
    html`<p>The program that led you here asked for something that there is not.</p><p>${words}</p>
<p><a class="button" href="/app">To the dashboard</a></p>`,
  )
}

export function nothingToGivePage(): Page {
  return cardPage(
    'Ask an owner or admin',
    html`<p>An agent is connected by somebody who may make tokens in its workspace. You may in none of yours.</p>
<p><a class="button" href="/app">To the dashboard</a></p>`,
  )
}
