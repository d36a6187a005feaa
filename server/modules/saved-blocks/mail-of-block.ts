import { unprocessable } from '../../catalogue/problems.ts'
import { singleElement } from '../templates/layout/single-element.ts'

const IN_BODY = new Set(['mj-wrapper', 'mj-section', 'mj-hero'])
const IN_SECTION = new Set(['mj-column', 'mj-group'])
const IN_COLUMN = new Set(
  'text button image divider spacer social table navbar accordion carousel raw'.split(' ').map((name) => `mj-${name}`),
)

const BEGIN = /^<(mj-[a-z-]{1,40})[\s/>]/

/** The element that a block begins with, and the least mail that it stands in, on the same lines. Throws 422 where it stands in none. */
export function mailOfBlock(body: string): { element: string; mail: string } {
  const [, element = ''] = BEGIN.exec(body) ?? []
  const column = IN_COLUMN.has(element) ? `<mj-column>${body}</mj-column>` : body
  const section = IN_SECTION.has(element) || column !== body ? `<mj-section>${column}</mj-section>` : body
  if (section !== body || IN_BODY.has(element)) {
    return { element, mail: `<mjml><mj-body>${section}</mj-body></mjml>` }
  }
  throw noBlock()
}

/** Throws 422 for a sound text that is more than one element, or goes on behind it. */
export function requireOneElement(body: string): void {
  if (singleElement(body) === undefined) throw noBlock()
}

function noBlock(): Error {
  const detail = 'must be one whole element of MJML: a wrapper, section, hero, column, or what a column holds'
  return unprocessable([{ pointer: '/body', detail }])
}
