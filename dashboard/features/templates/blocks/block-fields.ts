/** An attribute as a form asks for it. */
export type BlockField = {
  attribute: string
  label: string
  as: 'line' | 'colour' | 'font' | 'picture' | readonly string[]
  /** What MJML takes without it. */
  otherwise?: string
}

const field = (attribute: string, label: string, as: BlockField['as'] = 'line', otherwise = ''): BlockField => ({
  attribute,
  label,
  as,
  otherwise,
})

const ALIGN = ['left', 'center', 'right']
const PADDING = field('padding', 'Space around it', 'line', '10px 25px')
const GROUND = field('background-color', 'Background', 'colour')
const WIDTH = field('width', 'Width', 'line', 'all there is')
const LINK = field('href', 'Link', 'line', 'https://')
const ROUND = field('border-radius', 'Round corners', 'line', '0')
const FONT = [
  field('color', 'Colour', 'colour'),
  field('font-size', 'Size', 'line', '13px'),
  field('font-family', 'Font', 'font'),
]

const FIELDS: Readonly<Record<string, readonly BlockField[]>> = {
  'mj-wrapper': [GROUND, field('padding', 'Space around it', 'line', '20px 0'), ROUND],
  'mj-section': [GROUND, field('background-url', 'Picture behind it', 'picture'), PADDING, ROUND],
  'mj-group': [WIDTH, GROUND],
  'mj-column': [WIDTH, GROUND, PADDING, field('vertical-align', 'Stands', ['top', 'middle', 'bottom']), ROUND],
  'mj-hero': [
    field('background-url', 'Picture behind it', 'picture'),
    GROUND,
    field('height', 'Height', 'line', '0px'),
    PADDING,
  ],
  'mj-text': [...FONT, field('line-height', 'Line height', 'line', '1'), field('align', 'Align', ALIGN), PADDING],
  'mj-button': [LINK, GROUND, ...FONT, ROUND, field('align', 'Align', ALIGN), PADDING],
  'mj-image': [
    field('src', 'Picture', 'picture'),
    field('alt', 'In words, for those who do not see it'),
    LINK,
    WIDTH,
    field('align', 'Align', ALIGN),
    ROUND,
    PADDING,
  ],
  'mj-divider': [
    field('border-color', 'Colour', 'colour'),
    field('border-width', 'Thickness', 'line', '4px'),
    field('border-style', 'Kind', ['solid', 'dashed', 'dotted']),
    PADDING,
  ],
  'mj-spacer': [field('height', 'Height', 'line', '20px')],
  'mj-social': [field('mode', 'Direction', ['horizontal', 'vertical']), field('align', 'Align', ALIGN), PADDING],
  'mj-social-element': [field('src', 'Icon', 'picture'), field('alt', 'Icon in words'), LINK, GROUND],
  'mj-table': [...FONT, PADDING],
  'mj-navbar-link': [LINK, ...FONT],
  'mj-carousel-image': [field('src', 'Picture', 'picture'), field('alt', 'In words'), LINK],
}

export const fieldsOf = (name: string): readonly BlockField[] => FIELDS[name] ?? [PADDING]

/** Attributes of a new block that are taken from the first of its kind. */
export const LOOKS = [
  ...new Set(
    ['mj-class', 'css-class', 'font-weight', 'inner-padding', 'border-radius', 'icon-size', 'line-height'].concat(
      ...Object.values(FIELDS).map((fields) => fields.map(({ attribute }) => attribute)),
    ),
  ),
].filter((name) => !['href', 'src', 'alt', 'width', 'height', 'background-url'].includes(name))
