import { type Html, html } from '../../platform/html.ts'
import type { Page } from '../../platform/http/page.ts'
import type { SignatureCheck } from './check-signatures.ts'
import { bytesText, LOCAL_TIMES, mailboxPath, mailPath, timeTag } from './mailbox-text.ts'
import type { OpenedMail } from './open-mail.ts'
import type { ReadMail } from './read-mail.ts'

export const VIEWS = ['html', 'text', 'headers', 'source'] as const
export type View = (typeof VIEWS)[number]

const VIEW_NAMES: Readonly<Record<View, string>> = { html: 'HTML', text: 'Text', headers: 'Headers', source: 'Source' }
/** Of the source, on the page; the whole is a download. */
const SOURCE_BYTES_MAX = 512 * 1_024

/** One message: what its receiver sees, and what they do not. */
export function messagePage(slug: string, message: ReadMail, view: View): Page {
  const { mail, opened, oneClickUrl } = message
  const path = mailPath(slug, mail.id)
  const tabs = VIEWS.map((name) =>
    name === view
      ? html`<a href="${path}?view=${name}" aria-current="page">${VIEW_NAMES[name]}</a>`
      : html`<a href="${path}?view=${name}">${VIEW_NAMES[name]}</a>`,
  )
  return {
    title: `${opened.subject || '(no subject)'} · Postroom`,
    script: LOCAL_TIMES,
    ...(oneClickUrl ? { formTargets: [oneClickUrl.origin] } : {}),
    body: html`<p><a href="${mailboxPath(slug)}">← Mailbox</a></p>
<h1>${opened.subject || '(no subject)'}</h1>
<dl><dt>From</dt><dd>${addressText(opened.from && [opened.from])}</dd>
<dt>To</dt><dd>${addressText(opened.to) || mail.recipients.join(', ')}</dd>
${opened.cc && html`<dt>Cc</dt><dd>${addressText(opened.cc)}</dd>`}
<dt class="technical">Envelope</dt><dd class="technical">${mail.mailFrom || '<>'} → ${mail.recipients.join(', ')}</dd>
<dt>Received</dt><dd>${timeTag(mail.receivedAt)} · ${bytesText(mail.bytes)}</dd>
<dt class="technical">DKIM</dt><dd class="technical">${signatureText(opened.signatures)}</dd>
${opened.files.length > 0 && html`<dt>Attachments</dt><dd>${attachmentLinks(path, opened)}</dd>`}</dl>
<div class="row"><a class="button plain" href="${path}/message.eml">Download</a>${oneClickUrl && oneClickForm(oneClickUrl)}</div>
<nav class="tabs" aria-label="Parts of the message">${tabs}</nav>
${viewOf(path, message, view)}`,
  }
}

function viewOf(path: string, { opened, mail }: ReadMail, view: View): Html {
  switch (view) {
    case 'html':
      if (!opened.hasHtml) return html`<pre class="soft">This message has no HTML part.</pre>`
      return html`<iframe src="${path}/html" title="The message" sandbox="allow-popups allow-popups-to-escape-sandbox"></iframe>`
    case 'text':
      return html`<pre>${opened.text || 'This message has no text part.'}</pre>`
    case 'headers': {
      const rows = opened.headers.map(
        ({ originalKey, value }) => html`<tr><th>${originalKey}</th><td>${value}</td></tr>`,
      )
      return html`<table class="headers">${rows}</table>`
    }
    case 'source': {
      const shown = mail.raw.toString('utf8', 0, SOURCE_BYTES_MAX)
      const rest = mail.raw.length > SOURCE_BYTES_MAX && '\n… the rest is in the download.'
      return html`<pre>${shown}${rest}</pre>`
    }
  }
}

type Addresses = OpenedMail['to']

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

function attachmentLinks(path: string, { files }: OpenedMail): Html[] {
  return files.map(
    (part, index) =>
      html`<div><a href="${path}/attachments/${index}">${part.filename || `part ${index + 1}`}</a>
<span class="soft">${part.mimeType} · ${bytesText(part.bytes)}</span></div>`,
  )
}

/** The request that a mail program's own “Unsubscribe” makes. */
function oneClickForm(url: URL): Html {
  return html`<form method="post" action="${url.href}" target="_blank">
<input type="hidden" name="List-Unsubscribe" value="One-Click"><button class="plain">Unsubscribe with one click</button></form>`
}
