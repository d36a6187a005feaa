import { type Attributes, Mark, Node, type NodeConfig } from '@tiptap/core'
import { pastedAddress } from './link-address.ts'
import { pieceWords, valueWords } from './value-text.ts'

/*
 * What prose is made of. Every node and mark carries the bytes it was written with; those that are made here are written as
 * people write them by hand. Pasted HTML brings words, lists, bold, italic and links, and nothing else.
 */

const kept = (values: Record<string, unknown>): { addAttributes: () => Attributes } => ({
  addAttributes: () =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { default: value, rendered: false }])),
})

const Doc = Node.create({ name: 'doc', topNode: true, content: 'block+' })
/** A button, a link: one line. */
const LineDoc = Node.create({ name: 'doc', topNode: true, content: 'bare' })
const Text = Node.create({ name: 'text', group: 'inline' })

/** Words without a tag around them. */
const Bare = Node.create({
  name: 'bare',
  priority: 1_000,
  group: 'block words',
  content: 'inline*',
  ...kept({ before: '' }),
  parseHTML: () => [{ tag: 'div' }],
  renderHTML: () => ['div', 0],
})

const Paragraph = Node.create({
  name: 'paragraph',
  group: 'block words',
  content: 'inline*',
  ...kept({ before: '', open: '<p>', close: '</p>' }),
  parseHTML: () => [{ tag: 'p' }],
  renderHTML: () => ['p', 0],
})

const LEVELS = [1, 2, 3, 4, 5, 6]

const Heading = Node.create({
  name: 'heading',
  group: 'block words',
  content: 'inline*',
  defining: true,
  ...kept({ before: '', open: '<h2>', close: '</h2>', level: 2 }),
  parseHTML: () =>
    LEVELS.map((level) => ({ tag: `h${level}`, attrs: { level, open: `<h${level}>`, close: `</h${level}>` } })),
  renderHTML: ({ node }) => [`h${node.attrs.level}`, 0],
})

const list = (name: string, tag: string) =>
  Node.create({
    name,
    group: 'block',
    content: '(item | piece)+',
    ...kept({ before: '', open: `<${tag}>`, close: `</${tag}>` }),
    parseHTML: () => [{ tag }],
    renderHTML: () => [tag, 0],
  })

const Item = Node.create({
  name: 'item',
  content: 'words block*',
  defining: true,
  ...kept({ before: '', open: '<li>', close: '</li>' }),
  parseHTML: () => [{ tag: 'li' }],
  renderHTML: () => ['li', 0],
})

/** What is shown by a few words of it, and moved and deleted as one. */
const atom = (name: string, words: (raw: string) => string, config: Partial<NodeConfig> = {}) =>
  Node.create({
    name,
    group: 'inline',
    inline: true,
    atom: true,
    selectable: true,
    ...kept({ raw: '' }),
    renderHTML: ({ node }) => [
      'span',
      { class: `prose-${name}`, title: node.attrs.raw },
      words(String(node.attrs.raw)),
    ],
    ...config,
  })

const Break = Node.create({
  name: 'break',
  group: 'inline',
  inline: true,
  selectable: false,
  ...kept({ raw: '<br />' }),
  parseHTML: () => [{ tag: 'br' }],
  renderHTML: () => ['br'],
})

const WHOLE_LIQUID = /^(?:\{\{[^{}]*\}\}|\{%[^{}]*%\})$/

const Value = atom('value', valueWords, {
  parseHTML: () => [
    {
      tag: 'span[data-liquid]',
      getAttrs: (element) => {
        const raw = element.getAttribute('data-liquid') ?? ''
        return WHOLE_LIQUID.test(raw) && { raw }
      },
    },
  ],
  renderHTML: ({ node }) => [
    'span',
    { class: 'prose-value', 'data-liquid': node.attrs.raw, title: node.attrs.raw },
    valueWords(String(node.attrs.raw)),
  ],
})

const mark = (name: string, tag: string, also: string) =>
  Mark.create({
    name,
    ...kept({ open: `<${tag}>`, close: `</${tag}>`, at: null }),
    parseHTML: () => [{ tag }, { tag: also }],
    renderHTML: () => [tag === 'b' ? 'strong' : 'em', 0],
  })

const Link = Mark.create({
  name: 'link',
  inclusive: false,
  ...kept({ open: '<a>', close: '</a>', at: null }),
  parseHTML: () => [
    {
      tag: 'a[href]',
      getAttrs: (element) => {
        const href = pastedAddress(element.getAttribute('href') ?? '')
        return href !== undefined && { open: `<a href="${href.replaceAll('&', '&amp;')}">` }
      },
    },
  ],
  renderHTML: () => ['a', 0],
})

/** Any other element around words; several may be around the same. */
const Other = Mark.create({
  name: 'other',
  excludes: '',
  ...kept({ open: '', close: '', at: null }),
  renderHTML: ({ mark: { attrs } }) => {
    const [, tag = ''] = /^<(\w+)/.exec(attrs.open) ?? []
    return [SHOWN.has(tag) ? tag : 'span', 0]
  },
})
const SHOWN = new Set(['small', 'sup', 'sub', 's', 'u'])

/** How a character was written, where that is not how we would. */
const Written = Mark.create({
  name: 'written',
  inclusive: false,
  ...kept({ raw: '', char: '' }),
  renderHTML: () => ['span', 0],
})

const INLINE = [
  Text,
  Break,
  Value,
  atom('piece_in_line', pieceWords),
  mark('bold', 'b', 'strong'),
  mark('italic', 'i', 'em'),
  Link,
  Other,
  Written,
]

export const PROSE = [
  Doc,
  Bare,
  Paragraph,
  Heading,
  list('bullets', 'ul'),
  list('numbers', 'ol'),
  Item,
  atom('piece', valueWords, { group: '', inline: false, ...kept({ before: '', raw: '' }) }),
  ...INLINE,
]
export const LINE = [LineDoc, Bare, ...INLINE]
