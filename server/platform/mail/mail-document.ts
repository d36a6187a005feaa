import { type Html, html } from '../html.ts'

/** That of the pages for readers. */
export const MAIL_BUTTON_COLORS: ButtonColors = { back: '#3549c4', text: '#ffffff' }

export type ButtonColors = { back: string; text: string }

/** Programs that know the scheme show these; others show, or turn around, the styles of the elements. */
const IN_THE_DARK =
  '.page{background:#141619!important;color:#eceef0!important}.card{background:#1d2024!important;border-color:#34383e!important}' +
  '.soft{color:#aab1ba!important}.logo{background:#ffffff!important;padding:8px!important;border-radius:6px!important}'

/**
 * The HTML part of a mail whose words are the service's own: a card that is no wider than a phone, by day and in the dark. Nothing is
 * fetched but what is in `content`, whose elements may be `soft` (beside the point) or a `logo` (made for a white ground).
 */
export function mailDocument({ title, language, content }: { title: string; language: string; content: Html }): string {
  const { markup } = html`<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark"><title>${title}</title>
<style>:root{color-scheme:light dark}@media (prefers-color-scheme:dark){${IN_THE_DARK}}</style></head>
<body class="page" style="margin:0;padding:24px 16px;background:#f6f7f9;color:#1c2024;font:16px/1.5 system-ui,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;word-break:break-word;overflow-wrap:anywhere">
<div class="card" style="max-width:480px;margin:0 auto;padding:24px 24px 8px;background:#ffffff;border:1px solid #e3e5e8;border-radius:10px">
${content}
</div></body></html>
`
  return markup
}

export const mailParagraph = (text: string): Html => html`<p style="margin:0 0 16px">${text}</p>`

/** Beside the point; its lines stay lines. */
export function softParagraph(text: string): Html {
  const lines = text.split('\n').map((line, n) => html`${n > 0 && html`<br>`}${line}`)
  return html`<p class="soft" style="margin:0 0 16px;color:#60646c">${lines}</p>`
}

/** As large as a finger, in the programs that leave out the padding of a link too: their cell has it. */
export function mailButton({ label, url }: { label: string; url: string }, { back, text }: ButtonColors): Html {
  return html`<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 16px"><tr><td bgcolor="${back}" style="border-radius:6px;background:${back};mso-padding-alt:10px 20px"><a href="${url}" style="display:inline-block;padding:10px 20px;background:${back};color:${text};border-radius:6px;text-decoration:none;font-weight:600">${label}</a></td></tr></table>`
}
