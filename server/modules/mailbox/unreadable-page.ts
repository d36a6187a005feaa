import { html } from '../../platform/html.ts'
import type { Page } from '../../platform/http/page.ts'
import { mailboxPath, mailPath } from './mailbox-text.ts'

/** For a mail that cannot be taken apart within the limits, or by nobody. */
export function unreadablePage(slug: string, id: string): Page {
  return {
    title: 'A message that cannot be shown · Postroom',
    body: html`<p><a href="${mailboxPath(slug)}">← Mailbox</a></p>
<h1>This message cannot be shown</h1>
<p>Taking it apart takes too much time or memory, or it is no message at all. It is kept as it came.</p>
<p><a class="button" href="${mailPath(slug, id)}/message.eml">Download</a></p>`,
  }
}
