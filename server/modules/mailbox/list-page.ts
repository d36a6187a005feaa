import { type Html, html } from '../../platform/html.ts'
import type { Page } from '../../platform/http/page.ts'
import type { Membership } from '../auth/people.ts'
import { UNNAMED } from '../workspaces/unnamed.ts'
import type { CatcherAddress } from './catcher-address.ts'
import { KEEP_UP, REFRESH_SECONDS } from './keep-up.ts'
import { bytesText, LOCAL_TIMES, mailboxPath, mailPath, mailsText, timeTag } from './mailbox-text.ts'
import type { ListedMail } from './queries.ts'

export type ListView = {
  slug: string
  workspaces: readonly Membership[]
  mails: readonly ListedMail[]
  total: number
  /** Of them, how many the search finds; of no meaning without one. */
  found: number
  search: string
  /** The last id of the page before; undefined on the first page. */
  before: string | undefined
  /** Whether older mails follow. */
  hasMore: boolean
  mayClear: boolean
  /** Whether the reader may name the workspace. */
  mayName: boolean
  address: CatcherAddress | undefined
  /** Where the reader reaches this instance. */
  baseUrl: string
}

/** The list of what arrived, newest first. Its first page keeps itself up to date. */
export function listPage(view: ListView): Page {
  const { slug, search, before, total, found } = view
  const isLive = before === undefined && search === ''
  return {
    title: `Mailbox (${total}) · Postroom`,
    ...(isLive ? { refreshSeconds: REFRESH_SECONDS, script: KEEP_UP, asksAgain: true } : { script: LOCAL_TIMES }),
    body: html`<h1>Mailbox</h1>
<p class="soft">Mail sent through the integration “Mailbox” ends here and goes nowhere else. ${mailsText(total)}${isLive && ', kept up to date'}.</p>
${workspaceLinks(view)}${nameForm(view)}
<div class="row"><form class="search" method="get" action="${mailboxPath(slug)}" role="search">
<input type="search" name="search" value="${search}" placeholder="Subject or address" aria-label="Search">
<button class="plain">Search</button></form>
${view.mayClear && total > 0 && clearLink(slug)}</div>
${search !== '' && html`<p role="status">Found ${found} of ${mailsText(total)}. <a href="${mailboxPath(slug)}">Show all</a></p>`}
${view.mails.length === 0 ? emptyState(view) : html`<ul class="list">${view.mails.map((mail) => row(slug, mail))}</ul>`}
${pager(view)}`,
  }
}

function row(slug: string, mail: ListedMail): Html {
  const to = mail.toText || mail.recipients.join(', ')
  const unread = mail.readAt === null
  return html`<li><a href="${mailPath(slug, mail.id)}"${unread && html` class="unread"`}><span class="to">${to}<br><span class="soft">from ${mail.fromText || '<>'}</span></span>
<span class="subject">${unread && html`<span class="away">Not read: </span>`}${mail.subject || '(no subject)'}</span><span class="soft">${timeTag(mail.receivedAt)} · ${bytesText(mail.bytes)}</span></a></li>`
}

function workspaceLinks({ slug, workspaces }: ListView): Html | false {
  const links = workspaces.map((workspace) =>
    workspace.slug === slug
      ? html`<a href="${mailboxPath(workspace.slug)}" aria-current="page">${workspace.name}</a>`
      : html`<a href="${mailboxPath(workspace.slug)}">${workspace.name}</a>`,
  )
  return workspaces.length > 1 && html`<nav class="tabs" aria-label="Workspaces">${links}</nav>`
}

/** Asked once, where people come first: readers see this name when they unsubscribe or confirm. */
function nameForm({ slug, workspaces, mayName }: ListView): Html | false {
  const isUnnamed = workspaces.some((workspace) => workspace.slug === slug && workspace.name === UNNAMED)
  return (
    isUnnamed &&
    mayName &&
    html`<form class="card" method="post" action="${mailboxPath(slug)}/name">
<label for="name">What is the name of your company or newsletter?</label>
<p class="soft">Your readers see it when they confirm or unsubscribe.</p>
<div class="row"><input id="name" name="name" required maxlength="200" autocomplete="organization"><button>Save</button></div></form>`
  )
}

function clearLink(slug: string): Html {
  return html`<a class="button plain" href="${mailboxPath(slug)}/clear">Empty the mailbox</a>`
}

function emptyState({ slug, search, before, address, baseUrl }: ListView): Html {
  if (search !== '')
    return html`<div class="card"><p>No message has that in its subject, sender or recipients.</p></div>`
  if (before !== undefined) return html`<div class="card"><p>Nothing here.</p></div>`
  if (address === undefined) {
    return html`<div class="card"><p><strong>This workspace has no mailbox.</strong></p>
<p>Mail goes out through its own integrations. The built-in mailbox comes with the embedded database, or with the setting
<code>MAILBOX_ADDR</code>, and is given to workspaces that have no integration yet.</p></div>`
  }
  return html`<div class="card"><p><strong>No mail yet.</strong></p>
<p>Send something, and it appears here within seconds: <a href="/app/${slug}">the overview</a> sends you a first one, and so does a program.</p>
<pre class="example">curl ${baseUrl}/api/emails -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
  -d '{"destination":"ada@example.com","subject":"Hello","html":"&lt;p&gt;It works.&lt;/p&gt;","text":"It works."}'</pre>
<p class="soft">The integration “Mailbox” leads to the mail server in this process, at ${address.host}:${address.port}.</p></div>`
}

function pager({ slug, mails, hasMore, before, search }: ListView): Html | false {
  const last = mails.at(-1)?.id
  const older = new URLSearchParams({ ...(last ? { before: last } : {}), ...(search ? { search } : {}) })
  const newest = search ? `?${new URLSearchParams({ search })}` : ''
  if (!hasMore && before === undefined) return false
  return html`<div class="row">${before !== undefined && html`<a class="button plain" href="${mailboxPath(slug)}${newest}">Newest</a>`}
${hasMore && html`<a class="button plain" href="${mailboxPath(slug)}?${older.toString()}">Older</a>`}</div>`
}
