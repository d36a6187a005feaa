import { createHash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { type Html, html } from '../html.ts'

export type Page = {
  title: string
  body: Html
  /** Loads itself anew every so many seconds. With a script that does so, this is for readers without scripts. */
  refreshSeconds?: number | undefined
  /** The one script of the page. Everything a page does it does without, or says what is missing. */
  script?: string
  /** Where its forms may go to besides this origin. */
  formTargets?: readonly string[]
  /** English when absent. */
  language?: string
  /** Colours of its buttons, as `#2257d6`. */
  buttonColors?: { back: string; text: string }
  /** Where it may load pictures from. */
  imageOrigins?: readonly string[]
}

/**
 * Sends a page. It loads nothing from anywhere, runs no script but its own, stands in nobody's frame, and shows frames of
 * this origin only.
 */
export function sendPage(reply: FastifyReply, page: Page, status = 200): FastifyReply {
  return reply
    .code(status)
    .headers({
      'content-security-policy': contentPolicy(page),
      // With `no-referrer` a browser sends our own forms with the origin `null`.
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
      'x-frame-options': 'DENY',
    })
    .type('text/html; charset=utf-8')
    .send(markupOf(page))
}

function contentPolicy(page: Page): string {
  const { script, formTargets = [], imageOrigins = [] } = page
  const own = ownStyle(page)
  return [
    "default-src 'none'",
    `style-src '${STYLE_HASH}'${own === '' ? '' : ` '${hashOf(own)}'`}`,
    ...(script === undefined ? [] : [`script-src '${hashOf(script)}'`]),
    `img-src ${['data:', ...imageOrigins].join(' ')}`,
    "frame-src 'self'",
    `form-action ${["'self'", ...formTargets].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

function ownStyle({ buttonColors }: Page): string {
  return buttonColors === undefined
    ? ''
    : `button:not(.plain){background:${buttonColors.back};color:${buttonColors.text}}`
}

function markupOf(page: Page): string {
  const { title, body, refreshSeconds, script, language = 'en' } = page
  const meta = refreshSeconds !== undefined && html`<meta http-equiv="refresh" content="${refreshSeconds}">`
  const refresh = meta && script !== undefined ? html`<noscript>${meta}</noscript>` : meta
  const head = html`<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">${refresh}
<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">`
  const own = script === undefined ? '' : `<script>${script}</script>`
  const style = ownStyle(page)
  return `${head.markup}<style>${STYLE}</style>${style && `<style>${style}</style>`}</head><body>${body.markup}${own}</body></html>\n`
}

/** How all pages look: the reader's own font and colours, one column on a phone. */
const STYLE = `
:root{--ink:#1c2024;--soft:#60646c;--line:#e3e5e8;--back:#f6f7f9;--card:#fff;--accent:#2257d6;--on-accent:#fff;--good:#0f7a46;--bad:#b3261e;--warn:#8a5a00}
@media(prefers-color-scheme:dark){:root{--ink:#edeef0;--soft:#a0a6ae;--line:#32363c;--back:#131518;--card:#1c1f23;--accent:#8fb0ff;--on-accent:#101318;--good:#4fc98a;--bad:#ff8a80;--warn:#e5b455}}
*{box-sizing:border-box}
body{margin:0;background:var(--back);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
a{color:var(--accent)}
header.bar{display:flex;flex-wrap:wrap;align-items:center;gap:.5rem 1.25rem;padding:.75rem 1.25rem;background:var(--card);border-bottom:1px solid var(--line)}
header.bar strong{font-size:1.05rem}
header.bar form{margin-left:auto}
main{max-width:72rem;margin:0 auto;padding:1.5rem 1.25rem 4rem}
main.narrow{max-width:27rem;padding-top:12vh}
h1{font-size:1.4rem;line-height:1.25;margin:0 0 .5rem;overflow-wrap:anywhere}
p{margin:.5rem 0}
p.mark{font-weight:600;margin:0 0 1rem}p.mark img{display:block;max-width:100%;max-height:4rem}
.soft{color:var(--soft)}.good{color:var(--good)}.bad{color:var(--bad)}.warn{color:var(--warn)}
.card{background:var(--card);border:1px solid var(--line);border-radius:.6rem;padding:1.5rem}
.notice{border-left:3px solid var(--bad);padding:.4rem .8rem;margin:.8rem 0}
.row{display:flex;flex-wrap:wrap;gap:.6rem;align-items:center;margin:.8rem 0}
form.search{display:flex;flex:1 1 20rem;gap:.6rem}
form.search input{flex:1;min-width:0}
label{display:block;margin:.9rem 0 .25rem;font-weight:600}
input{width:100%;padding:.55rem .7rem;font:inherit;color:inherit;background:var(--back);border:1px solid var(--line);border-radius:.4rem}
label.option{display:flex;gap:.7rem;align-items:baseline;font-weight:400}
label.option input{width:auto;flex:none}
button,.button{display:inline-block;padding:.5rem 1rem;font:inherit;font-weight:600;color:var(--on-accent);background:var(--accent);border:1px solid transparent;border-radius:.4rem;cursor:pointer;text-decoration:none}
button.plain,.button.plain{color:var(--ink);background:transparent;border-color:var(--line);font-weight:400}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
form.stack button{width:100%;margin-top:1.25rem}
ul.list{list-style:none;margin:0;padding:0;background:var(--card);border:1px solid var(--line);border-radius:.6rem;overflow:hidden}
ul.list li+li{border-top:1px solid var(--line)}
ul.list a{display:grid;grid-template-columns:minmax(8rem,16rem) 1fr auto;gap:0 1rem;padding:.65rem 1rem;color:inherit;text-decoration:none}
ul.list a:hover{background:var(--back)}
ul.list span{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
@media(max-width:40rem){ul.list a{grid-template-columns:1fr}ul.list .subject{grid-row:2}}
nav.tabs{display:flex;flex-wrap:wrap;gap:.25rem;margin:1rem 0 0;border-bottom:1px solid var(--line)}
nav.tabs a{padding:.45rem .9rem;color:var(--soft);text-decoration:none;border-bottom:2px solid transparent;margin-bottom:-1px}
nav.tabs a[aria-current]{color:var(--ink);border-color:var(--accent);font-weight:600}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem;margin:.8rem 0}
dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
pre{margin:0;padding:1rem;background:var(--card);border:1px solid var(--line);border-top:0;white-space:pre-wrap;overflow-wrap:anywhere;font:13px/1.5 ui-monospace,SFMono-Regular,Menlo,monospace}
main pre.example{margin:.8rem 0;border:1px solid var(--line);border-radius:.4rem;background:var(--back)}
iframe{display:block;width:100%;height:70vh;background:#fff;border:1px solid var(--line);border-top:0}
table{width:100%;border-collapse:collapse;background:var(--card);border:1px solid var(--line);border-top:0}
td,th{padding:.35rem .8rem;text-align:left;vertical-align:top;overflow-wrap:anywhere;border-top:1px solid var(--line)}
th{white-space:nowrap;font-weight:600}
code{font:.9em ui-monospace,SFMono-Regular,Menlo,monospace}
`

const STYLE_HASH = hashOf(STYLE)

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}
