import { html } from '../../platform/html.ts'
import type { Page } from '../../platform/http/page.ts'
import { mailboxPath } from './mailbox-text.ts'

/** For a mail that is not in the mailbox, or no longer. */
export function missingPage(slug: string): Page {
  return {
    title: 'No such message · Postroom',
    body: html`<h1>This message is not in the mailbox</h1>
<p>It never was, or it is no longer: the mailbox was emptied since, the person it went to was erased, or newer mail took
its place.</p>
<p><a class="button" href="${mailboxPath(slug)}">To the mailbox</a></p>`,
  }
}
