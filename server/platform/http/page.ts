import { createHash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { type Html, html } from '../html.ts'

export type Page = {
  title: string
  body: Html
  /** Loads itself anew every so many seconds; where it has a script, only for readers without scripts. */
  refreshSeconds?: number | undefined
  /** The one script of the page. Everything a page does it does without, or says what is missing. */
  script?: string
  /** Whether the script asks this origin for more. */
  asksAgain?: boolean
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
  const { script, asksAgain = false, formTargets = [], imageOrigins = [] } = page
  const own = ownStyle(page)
  return [
    "default-src 'none'",
    `style-src '${STYLE_HASH}'${own === '' ? '' : ` '${hashOf(own)}'`}`,
    ...(script === undefined ? [] : [`script-src '${hashOf(script)}'`]),
    ...(asksAgain ? ["connect-src 'self'"] : []),
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
    : `:root{--accent:${buttonColors.back};--on-accent:${buttonColors.text};--link:var(--ink)}`
}

/** The document of a page, as it is sent. */
export function markupOf(page: Page): string {
  const { title, body, refreshSeconds, script, language = 'en' } = page
  const meta = refreshSeconds !== undefined && html`<meta http-equiv="refresh" content="${refreshSeconds}">`
  const refresh = meta && script !== undefined ? html`<noscript>${meta}</noscript>` : meta
  const head = html`<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">${refresh}
<meta name="color-scheme" content="light dark"><link rel="icon" href="${iconOf(page)}">`
  const own = script === undefined ? '' : `<script>${script}</script>`
  const style = ownStyle(page)
  return `${head.markup}<style>${STYLE}</style>${style && `<style>${style}</style>`}</head><body>${body.markup}${own}</body></html>\n`
}

/** An envelope in the colour of the page's buttons: of the workspace, on pages of its readers. */
export function iconOf({ buttonColors }: Pick<Page, 'buttonColors'>): string {
  const { back, text } = buttonColors ?? { back: '#3549c4', text: '#fff' }
  const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="${back}"/><path d="M8 11.5h16v9.5a1.5 1.5 0 0 1-1.5 1.5h-13A1.5 1.5 0 0 1 8 21zM8.6 11l7.4 6 7.4-6" fill="none" stroke="${text}" stroke-width="2" stroke-linejoin="round" stroke-linecap="round"/></svg>`
  return `data:image/svg+xml,${encodeURIComponent(icon)}`
}

/**
 * How all pages look: of one family with the dashboard (`dashboard/ui/tokens.css` has the same colours), in the reader's own
 * scheme, one column on a phone.
 */
const STYLE = `
:root{--ink:#17181c;--soft:#5c5e68;--line:#e7e7ec;--edge:#d4d4dc;--back:#f7f7f9;--card:#fff;--sunken:#f4f4f6;--accent:#3549c4;--on-accent:#fff;--link:#3143b5;--good:#12704a;--bad:#b42318;--bad-wash:#fdeeec;--good-wash:#e7f6ef;--warn:#875400;--shadow:0 1px 2px rgb(20 22 30/5%),0 8px 24px rgb(20 22 30/5%)}
@media(prefers-color-scheme:dark){:root{--ink:#ededf0;--soft:#a5a7b3;--line:#24262c;--edge:#383b44;--back:#0b0c0e;--card:#141518;--sunken:#18191d;--accent:#5266e0;--link:#a3b0ff;--good:#5fd3a0;--bad:#ff9c92;--bad-wash:#331714;--good-wash:#10281f;--warn:#f0bd5c;--shadow:none}}
*{box-sizing:border-box}
body{margin:0;background:var(--back);color:var(--ink);font:15px/1.55 "Inter Variable",Inter,ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;-webkit-font-smoothing:antialiased;-webkit-text-size-adjust:100%;overflow-wrap:anywhere}
a{color:var(--link);text-underline-offset:2px}
header.bar{display:flex;flex-wrap:wrap;align-items:center;gap:.4rem 1.25rem;padding:.6rem 1.25rem;background:var(--card);border-bottom:1px solid var(--line)}
header.bar a{color:var(--soft);font-weight:500;text-decoration:none}
header.bar a:hover{color:var(--ink)}
header.bar form{margin-left:auto}
@media(max-width:30rem){header.bar{gap:.4rem .85rem;padding:.5rem 1rem}header.bar .logo{gap:0;font-size:0}header.bar button.plain{padding:.3rem .7rem}}
.logo{display:inline-flex;align-items:center;gap:.55rem;font-weight:650;letter-spacing:-.012em}
.logo svg{flex:none;width:1.6rem;height:1.6rem}
main{max-width:72rem;margin:0 auto;padding:1.75rem 1.25rem 4rem}
main.narrow{max-width:27rem;padding:clamp(2rem,13vh,9rem) 1rem 4rem}
h1{font-size:1.375rem;font-weight:600;line-height:1.25;letter-spacing:-.018em;margin:0 0 .6rem;overflow-wrap:anywhere}
p{margin:.6rem 0}
p.mark{font-size:1.0625rem;font-weight:650;letter-spacing:-.012em;margin:0 0 1.1rem .1rem}p.mark img{display:block;max-width:100%;max-height:4rem}
.whole{display:inline-block;max-width:100%}
.soft{color:var(--soft)}.good{color:var(--good)}.bad{color:var(--bad)}.warn{color:var(--warn)}
.card{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:1.75rem;box-shadow:var(--shadow)}
.card>:last-child{margin-bottom:0}
.away{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.notice{padding:.6rem .85rem;margin:.9rem 0;border-radius:8px;background:var(--bad-wash);color:var(--bad)}
p.good[role=status]{padding:.6rem .85rem;margin:.9rem 0;border-radius:8px;background:var(--good-wash)}
.row{display:flex;flex-wrap:wrap;gap:.6rem;align-items:center;margin:.9rem 0}
form.search{display:flex;flex:1 1 20rem;gap:.6rem}
form.search input{flex:1;min-width:0}
form.card{max-width:40rem;padding:1.25rem}form.card label{margin-top:0}form.card p{margin:.2rem 0 0}form.card .row input{flex:1 1 12rem;width:auto;min-width:0}
label{display:block;margin:1rem 0 .3rem;font-weight:500}
p.hint{margin:0 0 .4rem;color:var(--soft);font-size:.9em}
tr:target{background:var(--good-wash)}
input{width:100%;min-height:2.5rem;padding:.45rem .75rem;font:inherit;color:inherit;background:var(--card);border:1px solid var(--edge);border-radius:8px}
label.option{display:flex;gap:.75rem;align-items:baseline;margin:0;padding:.7rem 0;border-top:1px solid var(--line)}
label.option:first-of-type{border-top:0}
label.option input{flex:none;width:1.05rem;height:1.05rem;min-height:0;margin:0;transform:translateY(.15rem);accent-color:var(--accent)}
label.option .soft{font-weight:400;font-size:.9em}
button,.button{display:inline-flex;align-items:center;justify-content:center;min-height:2.5rem;padding:.4rem 1.1rem;font:inherit;font-weight:600;color:var(--on-accent);background:var(--accent);border:1px solid transparent;border-radius:8px;cursor:pointer;text-decoration:none}
button:hover,.button:hover{filter:brightness(1.08)}
button.plain,.button.plain{min-height:2.1rem;color:var(--ink);background:transparent;border-color:var(--edge);font-weight:500}
button.plain:hover,.button.plain:hover{background:var(--sunken);filter:none}
button.danger{color:#fff;background:#b42318}
:focus-visible{outline:2px solid var(--link);outline-offset:2px}
fieldset{min-width:0;margin:1rem 0 0;padding:0;border:0}legend{padding:0;font-weight:500}
form.stack button{width:100%;margin-top:1.35rem}
form.stack button.plain{min-height:2.5rem}
form.stack+form.stack button,form.stack button+button{margin-top:.6rem}
ul.list{list-style:none;margin:0;padding:0;background:var(--card);border:1px solid var(--line);border-radius:12px;overflow:hidden}
ul.list li+li{border-top:1px solid var(--line)}
ul.list a{display:grid;grid-template-columns:minmax(8rem,16rem) 1fr auto;gap:0 1rem;padding:.65rem 1rem;color:inherit;text-decoration:none}
ul.list a:hover{background:var(--sunken)}
ul.list span{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
ul.list .to .soft{font-weight:400;font-size:.9em}ul.list a.unread .to,ul.list a.unread .subject{font-weight:650}
ul.list.guides .soft{grid-column:2/-1}ul.list.guides span:first-child{font-weight:500;white-space:normal}
@media(max-width:40rem){ul.list a{grid-template-columns:1fr}ul.list .subject{grid-row:2}ul.list.guides .soft{display:-webkit-box;grid-column:1;white-space:normal;-webkit-box-orient:vertical;-webkit-line-clamp:2}}
article{max-width:50rem}article h2{font-size:1.125rem;margin:2.2rem 0 .5rem}article h3{font-size:1rem;margin:1.6rem 0 .4rem}article h1,article h2,article h3{scroll-margin-top:1rem}
article li{margin:.3rem 0}article img{display:block;max-width:100%;height:auto;margin:.9rem 0;border:1px solid var(--line);border-radius:8px}article .wide{overflow-x:auto;margin:.9rem 0}article table{border-top:1px solid var(--line)}article table th,article table td:first-child{white-space:normal}
article td,article th{overflow-wrap:normal}article pre.example{white-space:pre;overflow-x:auto}article code{overflow-wrap:anywhere}article td:first-child code{overflow-wrap:break-word}article blockquote{margin:.9rem 0;padding-left:1rem;border-left:3px solid var(--edge);color:var(--soft)}
nav.tabs{display:flex;flex-wrap:wrap;gap:.25rem;margin:1rem 0 0;border-bottom:1px solid var(--line)}
nav.tabs+.card{margin-top:1rem}
nav.tabs a{padding:.5rem .9rem;color:var(--soft);font-weight:500;text-decoration:none;border-bottom:2px solid transparent;margin-bottom:-1px}
nav.tabs a[aria-current]{color:var(--ink);border-color:var(--accent)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1rem;margin:.9rem 0}
dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
pre{margin:0;padding:1rem;background:var(--card);border:1px solid var(--line);border-top:0;white-space:pre-wrap;overflow-wrap:anywhere;font:13px/1.55 ui-monospace,SFMono-Regular,Menlo,monospace}
main pre.example{margin:.9rem 0;border:1px solid var(--line);border-radius:8px;background:var(--sunken)}
iframe{display:block;width:100%;flex:1;min-height:16rem;background:#fff;border:1px solid var(--line);border-top:0}
body:has(iframe){display:flex;flex-direction:column;min-height:100vh;height:100dvh}body:has(iframe) main{display:flex;flex:1;flex-direction:column;width:100%;padding-bottom:1rem}body:has(iframe) nav.tabs{flex:none}
table{width:100%;border-collapse:collapse;background:var(--card);border:1px solid var(--line);border-top:0}
td,th{padding:.4rem .8rem;text-align:left;vertical-align:top;overflow-wrap:anywhere;border-top:1px solid var(--line)}
th{white-space:nowrap;font-weight:600}
@media(max-width:40rem){table.headers,table.headers tbody,table.headers tr,table.headers th,table.headers td{display:block;border-top:0}table.headers tr{padding:.45rem .8rem;border-top:1px solid var(--line)}table.headers th,table.headers td{padding:0;white-space:normal}body:has(iframe) .technical{display:none}}
code{font:.9em ui-monospace,SFMono-Regular,Menlo,monospace}
`

const STYLE_HASH = hashOf(STYLE)

/** How a policy names a script or style that stands in a page. */
export function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}
