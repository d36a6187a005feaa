import { html } from '../html.ts'

/** Ours, as the browser's tab has it. */
export const LOGO = html`<span class="logo"><svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8" fill="#3549c4"/>
<path d="M8 11.5h16v9.5a1.5 1.5 0 0 1-1.5 1.5h-13A1.5 1.5 0 0 1 8 21zM8.6 11l7.4 6 7.4-6" fill="none" stroke="#fff" stroke-width="2" stroke-linejoin="round" stroke-linecap="round"/></svg>Postroom</span>`

/** Stands on top of every page of the documentation. */
export const DOCS_BAR = html`<header class="bar">${LOGO}<a href="/docs/guides/">Guides</a><a href="/docs/">API</a><a href="/app">Dashboard</a></header>`
