import { type Html, html } from '../../platform/html.ts'
import type { Page } from '../../platform/http/page.ts'
import type { SignatureCheck } from './check-signatures.ts'
import { bytesText, mailboxPath, mailPath, timeTag } from './mailbox-text.ts'
import { bytesOf, type ReadMail } from './read-mail.ts'

export const VIEWS = ['html', 'text', 'headers', 'source'] as const
export type View = (typeof VIEWS)[number]

const VIEW_NAMES: Readonly<Record<View, string>> = { html: 'HTML', text: 'Text', headers: 'Headers', source: 'Source' }
/** Of the source, on the page; the whole is a download. */
const SOURCE_BYTES_MAX = 512 * 1_024

/** One message: what its receiver sees, and what they do not. */
export function messagePage(slug: string, message: ReadMail, view: View): Page {
  const { mail, parsed, oneClickUrl } = message
  const path = mailPath(slug, mail.id)
  const tabs = VIEWS.map((name) =>
    name === view
      ? html`<a href="${path}?view=${name}" aria-current="page">${VIEW_NAMES[name]}</a>`
      : html`<a href="${path}?view=${name}">${VIEW_NAMES[name]}</a>`,
  )
  return {
    title: `${parsed.subject || '(no subject)'} · Postroom`,
    ...(oneClickUrl ? { formTargets: [oneClickUrl.origin] } : {}),
    body: html`<p><a href="${mailboxPath(slug)}">← Mailbox</a></p>
<h1>${parsed.subject || '(no subject)'}</h1>
<dl><dt>From</dt><dd>${addressText(parsed.from && [parsed.from])}</dd>
<dt>To</dt><dd>${addressText(parsed.to) || mail.recipients.join(', ')}</dd>
${parsed.cc && html`<dt>Cc</dt><dd>${addressText(parsed.cc)}</dd>`}
<dt>Envelope</dt><dd>${mail.mailFrom || '<>'} → ${mail.recipients.join(', ')}</dd>
<dt>Received</dt><dd>${timeTag(mail.receivedAt)} UTC · ${bytesText(mail.bytes)}</dd>
<dt>DKIM</dt><dd>${signatureText(message.signatures)}</dd>
${message.attachments.length > 0 && html`<dt>Attachments</dt><dd>${attachmentLinks(path, message)}</dd>`}</dl>
<div class="row"><a class="button plain" href="${path}/message.eml">Download</a>${oneClickUrl && oneClickForm(oneClickUrl)}</div>
<nav class="tabs" aria-label="Parts of the message">${tabs}</nav>
${viewOf(path, message, view)}`,
  }
}

function viewOf(path: string, { parsed, mail }: ReadMail, view: View): Html {
  switch (view) {
    case 'html':
      if (!parsed.html) return html`<pre class="soft">This message has no HTML part.</pre>`
      return html`<iframe src="${path}/html" title="The message" sandbox="allow-popups allow-popups-to-escape-sandbox"></iframe>`
    case 'text':
      return html`<pre>${parsed.text || 'This message has no text part.'}</pre>`
    case 'headers': {
      const rows = parsed.headers.map(
        ({ originalKey, value }) => html`<tr><th>${originalKey}</th><td>${value}</td></tr>`,
      )
      return html`<table>${rows}</table>`
    }
    case 'source': {
      const shown = mail.raw.toString('utf8', 0, SOURCE_BYTES_MAX)
      const rest = mail.raw.length > SOURCE_BYTES_MAX && '\n… the rest is in the download.'
      return html`<pre>${shown}${rest}</pre>`
    }
  }
}

type Addresses = ReadMail['parsed']['to']

function addressText(addresses: Addresses): string {
  const texts = (addresses ?? []).map(({ name, address }) => {
    if (address === undefined) return name
    return name ? `${name} <${address}>` : address
  })
  return texts.join(', ')
}

function signatureText(signatures: readonly SignatureCheck[]): Html | Html[] {
  if (signatures.length === 0) return html`<span class="bad">not signed</span>`
  return signatures.map((signature) => html`<div>${verdictOf(signature)}</div>`)
}

function verdictOf({ domain, selector, result, comment, aligned, published }: SignatureCheck): Html {
  const by = html`by <code>${selector}._domainkey.${domain}</code>`
  if (result !== 'pass') return html`<span class="bad">${result}</span> ${by}${comment && html` (${comment})`}`
  const unaligned = !aligned && html`, <span class="warn">not the domain of the sender</span>`
  const secret = !published && html`, <span class="warn">its key is not published, so nobody else could check it</span>`
  return html`<span class="good">pass</span> ${by}${unaligned}${secret}`
}

function attachmentLinks(path: string, { attachments }: ReadMail): Html[] {
  return attachments.map(
    (part, index) =>
      html`<div><a href="${path}/attachments/${index}">${part.filename || `part ${index + 1}`}</a>
<span class="soft">${part.mimeType} · ${bytesText(bytesOf(part).length)}</span></div>`,
  )
}

/** The request that a mail program's own “Unsubscribe” makes. */
function oneClickForm(url: URL): Html {
  return html`<form method="post" action="${url.href}" target="_blank">
<input type="hidden" name="List-Unsubscribe" value="One-Click"><button class="plain">Unsubscribe with one click</button></form>`
}
