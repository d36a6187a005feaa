import { type HtmlToken, type OpenTag, scanHtml } from '../../../platform/html/scan-html.ts'
import type { TemplateFault } from '../template-fault.ts'
import { ELEMENT_DEPTH_MAX, MJML_ELEMENTS_MAX } from '../template-limits.ts'
import type { LiquidMask } from './mask-liquid.ts'
import { lineFinder } from './source-lines.ts'

/** Elements of MJML that hold other elements and no text. Liquid between these goes through MJML inside `mj-raw`. */
const HOLDS_RAW = new Set(
  'mjml mj-head mj-body mj-wrapper mj-section mj-group mj-column mj-hero mj-navbar mj-social mj-accordion mj-accordion-element'.split(
    ' ',
  ),
)
/** The same, but MJML has no place for Liquid there. */
const HOLDS_NO_RAW = new Set([
  'mj-attributes',
  'mj-html-attributes',
  'mj-selector',
  'mj-carousel',
  'mj-class',
  'mj-all',
])

/** Whether all up to its closing tag is HTML, as in mj-text and its like. */
export const holdsText = (element: string): boolean => !HOLDS_RAW.has(element) && !HOLDS_NO_RAW.has(element)

export type PreparedMjml = {
  /** MJML whose Liquid stands where MJML keeps it. */
  source: string
  /** Liquid around the `mjml` element: it stands around the compiled HTML. */
  before: string
  after: string
  faults: TemplateFault[]
  warnings: TemplateFault[]
}

/** Whether a masked body is MJML; other bodies are HTML. */
export function isMjml(masked: string): boolean {
  return (
    scanHtml(masked)
      .find((token) => token.kind === 'open')
      ?.name.startsWith('mj') ?? false
  )
}

/** Readies a masked body for the MJML compiler, which would drop without a word whatever stands between its elements. */
export function prepareMjml(mask: LiquidMask): PreparedMjml {
  const { masked } = mask
  const walk = new MjmlWalk(mask)
  for (const token of scanHtml(masked)) walk.take(token)
  return walk.end()
}

class MjmlWalk {
  readonly #mask: LiquidMask
  readonly #lineOf: (offset: number) => number
  readonly #open: OpenTag[] = []
  readonly #faults: TemplateFault[] = []
  readonly #warnings: TemplateFault[] = []
  #elements = 0
  #source = ''
  #before = ''
  #after = ''

  constructor(mask: LiquidMask) {
    this.#mask = mask
    this.#lineOf = lineFinder(mask.masked)
  }

  take(token: HtmlToken): void {
    const inner = this.#open.at(-1)
    const inContent = inner !== undefined && holdsText(inner.name)
    if (inContent && !(token.kind === 'close' && token.name === inner.name)) this.#copy(token)
    else if (token.kind === 'open') this.#enter(token)
    else if (token.kind === 'close') this.#leave(token)
    else if (token.kind === 'comment') this.#copy(token)
    else this.#between(token, inner?.name)
  }

  end(): PreparedMjml {
    for (const { name, begin } of this.#open) this.#fault(begin, `${name} is not closed`)
    if (this.#elements > MJML_ELEMENTS_MAX) {
      this.#faults.length = 0
      this.#faults.push({ field: 'body', line: null, detail: `has more than ${MJML_ELEMENTS_MAX} elements` })
    }
    const [faults, warnings] = [this.#faults, this.#warnings]
    return { source: this.#source, before: this.#before, after: this.#after, faults, warnings }
  }

  #enter(token: OpenTag): void {
    this.#elements += 1
    if (this.#elements === 1 && token.name !== 'mjml') this.#fault(token.begin, 'must stand inside <mjml><mj-body>')
    if (token.name === 'mj-include') this.#fault(token.begin, 'mj-include is not offered: templates read no files')
    const bare = token.attributes.find(({ name, valueBegin, begin, quoted }) => {
      return this.#holdsMark(name) || (!quoted && this.#holdsMark(this.#mask.masked.slice(begin, valueBegin)))
    })
    if (bare || this.#holdsMark(token.name)) {
      this.#fault(bare?.begin ?? token.begin, `Liquid cannot make names or attributes of ${this.#shown(token.name)}`)
    }
    this.#copy(token)
    if (token.selfClosing) return
    this.#open.push(token)
    if (this.#open.length === ELEMENT_DEPTH_MAX + 1) {
      this.#fault(token.begin, `stands more than ${ELEMENT_DEPTH_MAX} elements deep`)
    }
  }

  #leave(token: Extract<HtmlToken, { kind: 'close' }>): void {
    const inner = this.#open.at(-1)
    if (inner?.name === token.name) this.#open.pop()
    else this.#fault(token.begin, `</${this.#shown(token.name)}> closes nothing that is open`)
    this.#copy(token)
  }

  #between({ begin, end }: HtmlToken, within: string | undefined): void {
    const text = this.#mask.masked.slice(begin, end)
    const marks = text.match(this.#mask.marks) ?? []
    if (text.replace(this.#mask.marks, '').trim() !== '') {
      this.#warn(begin, `text ${within ? `directly in ${within}` : 'around <mjml>'} is not shown; mj-text shows it`)
    }
    if (within === undefined) {
      if (this.#elements === 0) this.#before += marks.join('')
      else this.#after += marks.join('')
    } else if (marks.length > 0 && !HOLDS_RAW.has(within)) {
      this.#fault(begin, `Liquid cannot stand directly in ${within}`)
    } else {
      const raw = within === 'mjml' ? '<mj-raw position="file-start">' : '<mj-raw>'
      this.#source += text.replace(this.#mask.marks, (mark) => `${raw}${mark}</mj-raw>`)
    }
  }

  #copy({ begin, end }: HtmlToken): void {
    this.#source += this.#mask.masked.slice(begin, end)
  }

  #holdsMark(text: string): boolean {
    return text.search(this.#mask.marks) !== -1
  }

  #shown(name: string): string {
    return this.#mask.restore(name)
  }

  #fault(offset: number, detail: string): void {
    this.#faults.push({ field: 'body', line: this.#lineOf(offset), detail })
  }

  #warn(offset: number, detail: string): void {
    this.#warnings.push({ field: 'body', line: this.#lineOf(offset), detail })
  }
}
