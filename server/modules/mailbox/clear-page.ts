import { html } from '../../platform/html.ts'
import type { Page } from '../../platform/http/page.ts'
import { mailboxPath, mailsText } from './mailbox-text.ts'

/** Asks before the mailbox is emptied. */
export function clearPage(slug: string, total: number): Page {
  const path = mailboxPath(slug)
  return {
    title: 'Empty the mailbox · Postroom',
    body: html`<h1>Empty the mailbox?</h1>
<p>All mail in it, ${mailsText(total)} by now, is deleted for everybody in this workspace, and does not come back.</p>
<div class="row"><form method="post" action="${path}/clear"><button class="danger">Delete all mail</button></form>
<a class="button plain" href="${path}">Keep it</a></div>`,
  }
}
