import { type Html, html } from '../../platform/html.ts'
import type { Page } from '../../platform/http/page.ts'
import { cardPage } from './app-page.ts'

/** Sends the secret of a link on. Browsers keep what follows `#` from servers, so only the page itself can. */
const SEND_ON = `
const secret = location.hash.slice(1)
if (secret !== '') {
  history.replaceState(null, '', location.pathname)
  const form = document.forms[0]
  form.token.value = secret
  form.submit()
}`

/** The page that the link of a mail opens first. */
export function secretLinkPage(title: string, action: string): Page {
  const form = html`<p>If this page does not go on by itself, enter what follows the <code>#</code> in the link of your mail.</p>
<form class="stack" method="post" action="${action}">
<label for="token">Code of the link</label><input id="token" name="token" autocomplete="off" required>
<button>Go on</button></form>`
  return { ...cardPage(title, form), script: SEND_ON }
}

/** For a link that leads nowhere any more; who holds it learns no more than that. */
export function deadLinkPage(title: string, advice: Html): Page {
  return cardPage(title, html`<p>This link is unknown, was used already, or is over.</p><p>${advice}</p>`)
}
