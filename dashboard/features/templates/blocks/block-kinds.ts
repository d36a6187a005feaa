const CONTENT = [
  'mj-text',
  'mj-button',
  'mj-image',
  'mj-divider',
  'mj-spacer',
  'mj-social',
  'mj-table',
  'mj-navbar',
  'mj-accordion',
  'mj-carousel',
  'mj-raw',
]

/** Which blocks a block may hold; blocks that are not named here hold text. */
const HOLDS: Readonly<Record<string, readonly string[]>> = {
  'mj-body': ['mj-wrapper', 'mj-section', 'mj-hero', 'mj-raw'],
  'mj-wrapper': ['mj-section', 'mj-hero', 'mj-raw'],
  'mj-section': ['mj-column', 'mj-group', 'mj-raw'],
  'mj-group': ['mj-column', 'mj-raw'],
  'mj-column': CONTENT,
  'mj-hero': CONTENT,
  'mj-social': ['mj-social-element'],
  'mj-navbar': ['mj-navbar-link'],
  'mj-accordion': ['mj-accordion-element'],
  'mj-carousel': ['mj-carousel-image'],
}

export const mayHold = (parent: string, name: string): boolean => HOLDS[parent]?.includes(name) ?? false

const NAMES: Readonly<Record<string, string>> = {
  'mj-wrapper': 'Box',
  'mj-section': 'Section',
  'mj-group': 'Group',
  'mj-column': 'Column',
  'mj-hero': 'Hero',
  'mj-text': 'Text',
  'mj-button': 'Button',
  'mj-image': 'Image',
  'mj-divider': 'Line',
  'mj-spacer': 'Space',
  'mj-social': 'Social links',
  'mj-social-element': 'Link',
  'mj-table': 'Table',
  'mj-navbar': 'Navigation',
  'mj-navbar-link': 'Link',
  'mj-accordion': 'Accordion',
  'mj-accordion-element': 'Part',
  'mj-carousel': 'Carousel',
  'mj-carousel-image': 'Image',
  'mj-raw': 'HTML',
}

export const blockName = (name: string): string => NAMES[name] ?? name

/** A block that can be added: its own text, made like those that are there. */
export type NewBlock = {
  label: string
  /** The element it is; what holds it is made with it where there is none. */
  name: string
  /** The block with the attributes of its like in the mail, by their element. */
  text: (like: (name: string) => string) => string
}

const column = (content: string, attributes = '') => `<mj-column${attributes}>\n  ${indented(content)}\n</mj-column>`
const section = (...columns: string[]) => `<mj-section>\n  ${indented(columns.join('\n'))}\n</mj-section>`
const indented = (text: string) => text.replaceAll('\n', '\n  ')

type Like = (name: string) => string
const text = (like: Like, words: string) => `<mj-text${like('mj-text')}>${words}</mj-text>`
/** Its link is still to be written, which the check before sending says. */
const button = (like: Like, words: string) => `<mj-button${like('mj-button')} href="">${words}</mj-button>`
const image = '<mj-image src="" alt="" />'
const product = (like: Like) =>
  column(`${image}\n${text(like, '<b>Name of the product</b><br />A line about it')}\n${button(like, 'See it')}`)

/** Blocks to add, the most used first. */
export const NEW_BLOCKS: readonly NewBlock[] = [
  { label: 'Text', name: 'mj-text', text: (like) => text(like, 'Write something here.') },
  { label: 'Button', name: 'mj-button', text: (like) => button(like, 'Read more') },
  { label: 'Image', name: 'mj-image', text: () => image },
  { label: 'Line', name: 'mj-divider', text: (like) => `<mj-divider${like('mj-divider')} />` },
  { label: 'Space', name: 'mj-spacer', text: () => '<mj-spacer height="24px" />' },
  {
    label: 'Social links',
    name: 'mj-social',
    text: (like) =>
      `<mj-social${like('mj-social')}>\n  <mj-social-element href="">Follow us</mj-social-element>\n</mj-social>`,
  },
  {
    label: 'Table',
    name: 'mj-table',
    text: (like) =>
      `<mj-table${like('mj-table')}>\n  <tr><th align="left">Item</th><th align="right">Price</th></tr>\n  <tr><td>First</td><td align="right">1.00</td></tr>\n</mj-table>`,
  },
  { label: 'Section', name: 'mj-section', text: (like) => section(column(text(like, 'Write something here.'))) },
  {
    label: 'Two columns',
    name: 'mj-section',
    text: (like) => section(column(text(like, 'On the left')), column(text(like, 'On the right'))),
  },
  {
    label: 'Image beside text',
    name: 'mj-section',
    text: (like) =>
      section(column(image, ' width="40%"'), column(text(like, 'Words beside the picture'), ' width="60%"')),
  },
  {
    label: 'Hero',
    name: 'mj-hero',
    text: (like) => `<mj-hero>\n  ${text(like, '<h1>A large heading</h1>')}\n  ${button(like, 'Begin')}\n</mj-hero>`,
  },
  { label: 'Product list', name: 'mj-section', text: (like) => section(product(like), product(like)) },
  {
    label: 'Footer',
    name: 'mj-section',
    text: () =>
      section(
        column(
          `<mj-text align="center" font-size="13px">\n  <a href="{{ preferences_url }}">Choose what you get</a> · <a href="{{ unsubscribe_url }}">Unsubscribe</a><br />\n  {{ postal_address }}\n</mj-text>`,
        ),
      ),
  },
  { label: 'Column', name: 'mj-column', text: (like) => column(text(like, 'Write something here.')) },
]

/** A whole mail to begin with, in these fonts. */
export const firstMail = (fontFamily: string | null): string => `<mjml lang="en">
  <mj-head>
    <mj-attributes>
      <mj-all font-family="${fontFamily ?? 'Helvetica, Arial, sans-serif'}" />
      <mj-text font-size="16px" line-height="1.5" />
    </mj-attributes>
  </mj-head>
  <mj-body>
    <mj-section>
      <mj-column>
        <mj-text>Hello {{ first_name | default: "there" }},</mj-text>
      </mj-column>
    </mj-section>
    <mj-section>
      <mj-column>
        <mj-text align="center" font-size="13px">
          <a href="{{ preferences_url }}">Choose what you get</a> · <a href="{{ unsubscribe_url }}">Unsubscribe</a><br />
          {{ postal_address }}
        </mj-text>
      </mj-column>
    </mj-section>
  </mj-body>
</mjml>
`

/** A block as it has to stand where the chosen one is: content in a column, a column in a section. */
export function within(name: string, block: string): string {
  if (name === 'mj-column' || name === 'mj-group') return section(block)
  return mayHold('mj-column', name) ? section(column(block)) : block
}
