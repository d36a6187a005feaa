import { posix } from 'node:path'
import { Marked, type Token, type Tokens } from 'marked'
import { escapeHtml, type Html } from '../../platform/html.ts'

/** A guide as its page shows it. `ids` are those of its headings, `links` where it leads to. */
export type Guide = { title: string; intro: string; content: Html; ids: ReadonlySet<string>; links: readonly string[] }

/** Where files of the checkout are served: `docs/guides/topics.md` at `/docs/guides/topics`. */
const SERVED: readonly [RegExp, (name: string) => string][] = [
  [/^docs\/guides\/([a-z-]+)\.md$/, (name) => `/docs/guides/${name}`],
  [/^docs\/examples\/([a-z-]+\.[a-z]+)$/, (name) => `/docs/examples/${name}`],
  [/^docs\/guides\/pictures\/([a-z0-9-]+\.png)$/, (name) => `/docs/guides/pictures/${name}`],
  [/^(README)\.md$/, () => '/docs/guides/readme'],
]

/**
 * Markdown of ours as HTML. A link to another guide leads to its page; a file of the checkout that is not served is named
 * by its path. HTML in it is text: the pages have a strict policy, and nothing here needs more than Markdown has.
 */
export function renderGuide(path: string, markdown: string): Guide {
  const ids = new Set<string>()
  const links: string[] = []
  const marked = new Marked({
    gfm: true,
    renderer: {
      html: ({ text }) => escapeHtml(text),
      image({ href, text }) {
        const from = pageOf(path, href)
        if (from === undefined || !from.startsWith('/')) return escapeHtml(text)
        links.push(from)
        return `<img src="${from}" alt="${escapeHtml(text)}" loading="lazy">`
      },
      heading({ tokens, depth, text }) {
        const id = freeId(ids, plainText(this.parser.parseInline(tokens)) || text)
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      code: ({ text }) => `<pre class="example" tabindex="0">${escapeHtml(text)}</pre>\n`,
      table(token) {
        return `<div class="wide" tabindex="0">${tableOf(token, (tokens) => this.parser.parseInline(tokens))}</div>\n`
      },
      link({ href, tokens }) {
        const words = this.parser.parseInline(tokens)
        const to = pageOf(path, href)
        if (to === undefined) return `${words} (<code>${escapeHtml(fileOf(path, href))}</code>)`
        links.push(to)
        return `<a href="${escapeHtml(to)}">${words}</a>`
      },
    },
  })
  const tokens = marked.lexer(markdown)
  const first = tokens.findIndex(({ type }) => type === 'heading')
  const title = (tokens[first] as Tokens.Heading | undefined)?.text ?? path
  const paragraph = tokens.find(({ type }) => type === 'paragraph') as Tokens.Paragraph | undefined
  const intro = paragraph === undefined ? '' : plainText(marked.parser([paragraph as Token]))
  return { title, intro, content: { markup: marked.parser(tokens) }, ids, links }
}

function tableOf({ header, rows }: Tokens.Table, inline: (tokens: Token[]) => string): string {
  const head = header.every(({ text }) => text === '')
    ? ''
    : `<thead><tr>${header.map(({ tokens }) => `<th scope="col">${inline(tokens)}</th>`).join('')}</tr></thead>`
  const body = rows.map((row) => `<tr>${row.map(({ tokens }) => `<td>${inline(tokens)}</td>`).join('')}</tr>`)
  return `<table>${head}<tbody>${body.join('\n')}</tbody></table>`
}

/** The address of what a link of a file leads to; undefined for a file that is not served. */
function pageOf(path: string, href: string): string | undefined {
  if (href.startsWith('https://') || href.startsWith('http://') || href.startsWith('#')) return href
  const [, anchor] = href.split('#')
  const file = fileOf(path, href)
  for (const [pattern, addressOf] of SERVED) {
    const name = pattern.exec(file)?.[1]
    if (name !== undefined) return addressOf(name) + (anchor === undefined ? '' : `#${anchor}`)
  }
  return undefined
}

function fileOf(path: string, href: string): string {
  return posix.join(posix.dirname(path), href.split('#')[0]!)
}

/** The id of a heading, as the links in our Markdown know it. */
function freeId(taken: Set<string>, heading: string): string {
  const words = heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
  let id = words
  for (let n = 1; taken.has(id); n++) id = `${words}-${n}`
  taken.add(id)
  return id
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

function plainText(markup: string): string {
  return markup
    .replaceAll(/<[^<>]*>/g, '')
    .replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name]!)
    .trim()
}
