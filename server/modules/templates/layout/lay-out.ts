import { convert, type DomNode, type FormatCallback, type HtmlToTextOptions } from 'html-to-text'
import mjmlCore from 'mjml-core'
import presetCore from 'mjml-preset-core'
import { COMPILED_CHARS_MAX, ELEMENT_DEPTH_MAX } from '../template-limits.ts'
import type { LayoutJob, LayoutResult } from './layout-job.ts'
import { CELL } from './made-text.ts'
import { TAG_MARK } from './mask-liquid.ts'

/** Of an element that nobody sees the tags of Liquid stay: they may decide on words outside of it. */
const tagsOf: FormatCallback = (element, _walk, builder) => {
  let tags = ''
  const rest: DomNode[] = [element]
  for (let node = rest.pop(); node !== undefined; node = rest.pop()) {
    if (node.type === 'text') tags += node.data?.match(TAG_MARK)?.join('') ?? ''
    // One by one: a hundred thousand are more than a call takes.
    for (const child of node.children?.toReversed() ?? []) rest.push(child)
  }
  builder.addInline(tags)
}

const alternativeOf: FormatCallback = ({ attribs }, _walk, builder) => builder.addInline(attribs?.alt ?? '')

/**
 * A link's address as it is written. Of one to write to somebody `path` is the address alone, which says no subject; the library's
 * types do not know that it hands the element over.
 */
const addressOf = (path: string, _metadata: unknown, element?: DomNode) =>
  (path.includes('?') ? String(element?.attribs?.href ?? path) : path).trim()

/** A text part: addresses in angle brackets behind their links, pictures as their words, no line broken (the mail's encoding does). */
const TEXT: HtmlToTextOptions = {
  wordwrap: false,
  formatters: { tags: tagsOf, alternative: alternativeOf },
  limits: { maxInputLength: COMPILED_CHARS_MAX, maxDepth: 2 * ELEMENT_DEPTH_MAX },
  selectors: [
    {
      selector: 'a',
      options: {
        linkBrackets: ['<', '>'],
        hideLinkHrefIfSameAsText: true,
        pathRewrite: addressOf,
      },
    },
    { selector: 'img', format: 'alternative' },
    { selector: 'style', format: 'skip' },
    { selector: 'script', format: 'skip' },
    { selector: 'title', format: 'skip' },
    { selector: 'tr', format: 'block', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
    ...['td + td', 'th + td', 'th + th', 'td + th'].map((selector) => ({
      selector,
      format: 'inlineSurround',
      options: { prefix: CELL },
    })),
    // The element that MJML makes of mj-text is a paragraph.
    { selector: 'td > div', format: 'block', options: { leadingLineBreaks: 2, trailingLineBreaks: 2 } },
    // The preview line of a mail program, and what else is only there to be read by machines.
    ...['[hidden]', '[style*="display:none" i]', '[style*="display: none" i]'].map((selector) => ({
      selector,
      format: 'tags',
    })),
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
  ],
}

/**
 * Makes HTML of MJML, and a text part of HTML. The compiler of MJML is a large program that nobody has bounded: imported by the
 * compile thread alone.
 */
export async function layOut({ kind, source, wantsText }: LayoutJob): Promise<LayoutResult> {
  try {
    const compiled = kind === 'mjml' ? await compileMjml(source) : { html: source, notes: [] }
    const text = wantsText && compiled.html.length <= COMPILED_CHARS_MAX ? convert(compiled.html, TEXT).trim() : ''
    return { outcome: 'done', ...compiled, text }
  } catch (error) {
    return { outcome: 'failed', message: error instanceof Error ? error.message : String(error) }
  }
}

async function compileMjml(source: string) {
  const { html, errors } = await mjmlCore.default(source, {
    presets: [presetCore],
    ignoreIncludes: true,
    validationLevel: 'soft',
    keepComments: true,
    // Unasked, MJML has every reader load its fonts from Google's servers; mj-font names those an author wants.
    fonts: {},
  })
  const notes = errors.map(({ line, tagName, message }) => ({ line: line ?? null, element: tagName, message }))
  return { html: withoutIndents(html), notes }
}

/** A third of what MJML writes is indentation: bytes that are encoded, signed and sent once a person. */
function withoutIndents(html: string): string {
  if (/<(?:pre|textarea)\b/i.test(html)) return html
  const lines = html.split('\n').map((line) => line.trim())
  return lines.filter((line) => line !== '').join('\n')
}
