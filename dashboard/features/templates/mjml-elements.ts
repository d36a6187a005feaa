const SPACE = ['padding', 'padding-top', 'padding-bottom', 'padding-left', 'padding-right']
const GROUND = ['background-color', 'border', 'border-radius', 'css-class']
const TYPE = ['font-family', 'font-size', 'font-weight', 'line-height', 'color', 'align']

const element = (name: string, attributes: readonly string[], children?: readonly string[]) => ({
  name,
  attributes: attributes.map((attribute) => ({ name: attribute })),
  ...(children ? { children: [...children] } : {}),
})

const CONTENT = [
  'mj-text',
  'mj-button',
  'mj-image',
  'mj-divider',
  'mj-spacer',
  'mj-social',
  'mj-table',
  'mj-raw',
  'mj-hero',
  'mj-navbar',
  'mj-accordion',
  'mj-carousel',
]

/** The elements of MJML with what they are most often given, for completion; the server knows them all. */
export const ELEMENTS = [
  element('mjml', ['lang', 'dir'], ['mj-head', 'mj-body']),
  element('mj-head', [], ['mj-title', 'mj-preview', 'mj-attributes', 'mj-style', 'mj-font', 'mj-breakpoint']),
  element('mj-title', []),
  element('mj-preview', []),
  element('mj-attributes', [], ['mj-all', 'mj-class', ...CONTENT, 'mj-section', 'mj-column']),
  element('mj-all', [...TYPE, ...SPACE]),
  element('mj-class', ['name', ...TYPE, ...SPACE, ...GROUND]),
  element('mj-style', ['inline']),
  element('mj-font', ['name', 'href']),
  element('mj-breakpoint', ['width']),
  element('mj-body', ['width', 'background-color', 'css-class'], ['mj-section', 'mj-wrapper', 'mj-hero', 'mj-raw']),
  element('mj-wrapper', ['full-width', ...SPACE, ...GROUND], ['mj-section']),
  element('mj-section', ['full-width', 'direction', 'text-align', ...SPACE, ...GROUND], ['mj-column', 'mj-group']),
  element('mj-group', ['width', 'background-color'], ['mj-column']),
  element('mj-column', ['width', 'vertical-align', ...SPACE, ...GROUND], CONTENT),
  element('mj-text', [...TYPE, ...SPACE, 'text-decoration', 'letter-spacing', 'css-class']),
  element('mj-button', ['href', 'width', 'inner-padding', ...TYPE, ...SPACE, ...GROUND]),
  element('mj-image', ['src', 'alt', 'href', 'width', 'height', 'fluid-on-mobile', 'align', ...SPACE, ...GROUND]),
  element('mj-divider', ['border-color', 'border-width', 'border-style', 'width', ...SPACE]),
  element('mj-spacer', ['height']),
  element('mj-table', ['cellpadding', 'width', ...TYPE, ...SPACE]),
  element('mj-social', ['mode', 'icon-size', ...TYPE, ...SPACE], ['mj-social-element']),
  element('mj-social-element', ['name', 'href', 'src', 'alt', 'background-color', ...TYPE]),
  element('mj-hero', ['mode', 'height', 'background-url', 'vertical-align', ...SPACE, ...GROUND], CONTENT),
  element('mj-navbar', ['hamburger', 'align', ...SPACE], ['mj-navbar-link']),
  element('mj-navbar-link', ['href', ...TYPE, ...SPACE]),
  element('mj-accordion', ['border', ...SPACE], ['mj-accordion-element']),
  element('mj-accordion-element', ['background-color'], ['mj-accordion-title', 'mj-accordion-text']),
  element('mj-accordion-title', [...TYPE, ...SPACE]),
  element('mj-accordion-text', [...TYPE, ...SPACE]),
  element('mj-carousel', ['thumbnails', 'align'], ['mj-carousel-image']),
  element('mj-carousel-image', ['src', 'alt', 'href']),
  element('mj-raw', []),
]
