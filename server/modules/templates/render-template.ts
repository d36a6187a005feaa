import { type Liquid, LiquidError, type Template } from 'liquidjs'
import { type MailText, wholeText } from '../../platform/mail/mail-text.ts'
import type { CompiledTemplate } from './compile-template.ts'
import { BoundedContext, BoundedEmitter, type LinkRewriter, type RenderExtras } from './language/bounded-context.ts'
import { htmlEngine, textEngine } from './language/liquid-engine.ts'
import { BudgetError, RenderBudget } from './language/render-budget.ts'
import { renderNodes } from './language/render-nodes.ts'
import type { TemplateField } from './template-fault.ts'
import { SUBJECT_OUTPUT_CHARS_MAX } from './template-limits.ts'

export type { LinkRewriter } from './language/bounded-context.ts'
export type RenderedTemplate = { subject: string; html: string; text: string }
/** For a mail: what the template fixes of its HTML is not put together with the rest before it is encoded. */
export type RenderedMail = { subject: string; html: MailText; text: string }

/** The template and these variables do not go together: `{{ x | divided_by: y }}` with y = 0, output beyond all measure ... */
export class RenderError extends Error {
  override name = 'RenderError'
  readonly field: TemplateField
  readonly detail: string

  constructor(field: TemplateField, detail: string, cause: unknown) {
    super(`${field}: ${detail}`, { cause })
    this.field = field
    this.detail = detail
  }
}

const CONTROL_OR_BREAK = /[\p{Cc}\u2028\u2029]+/gu

/** `renderMail` for those who read the HTML. */
export function renderTemplate(...given: Parameters<typeof renderMail>): RenderedTemplate {
  const mail = renderMail(...given)
  return { ...mail, html: wholeText(mail.html) }
}

/**
 * Renders a message. `rewriteLink` is given the finished address of each http(s) link of the HTML part (entities decoded)
 * and the link's index in `template.links`, and its answer takes the address's place; the addresses of the variables
 * `unsubscribe_url` and `preferences_url` are left as they are. `pixelUrl` becomes an invisible picture at the end of the
 * body. Throws `RenderError`. The same input gives the same output; nothing outside the variables can be read, and what
 * it may take is counted (`template-limits.ts`).
 */
export function renderMail(
  template: CompiledTemplate,
  variables: Readonly<Record<string, unknown>>,
  rewriteLink: LinkRewriter | null,
  { pixelUrl = null }: { pixelUrl?: string | null } = {},
): RenderedMail {
  const budget = new RenderBudget()
  const plain: RenderExtras = { budget, rewriteLink: null, pixelUrl: null, untracked: [] }
  const untracked = [variables.unsubscribe_url, variables.preferences_url].filter((url) => typeof url === 'string')
  const part = (field: TemplateField, engine: Liquid, parsed: readonly Template[], extras: RenderExtras) =>
    renderPart({ field, engine, parsed, extras, variables })
  const subject = wholeText(part('subject', textEngine, template.subject, plain))
    .replace(CONTROL_OR_BREAK, ' ')
    .trim()
  if (subject.length > SUBJECT_OUTPUT_CHARS_MAX) {
    throw new RenderError('subject', `has more than ${SUBJECT_OUTPUT_CHARS_MAX} characters`, undefined)
  }
  const html = part('body', htmlEngine, template.html, { budget, rewriteLink, pixelUrl, untracked })
  const text = wholeText(part('text', textEngine, template.text, plain))
  return {
    subject,
    html,
    text: template.textIsMade ? withoutGaps(text) : text,
  }
}

/** The text without the blank space that stood between tags and outputs that are gone. */
function withoutGaps(text: string): string {
  return text
    .replace(/(?<![ \t])[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

type Part = {
  field: TemplateField
  engine: Liquid
  parsed: readonly Template[]
  extras: RenderExtras
  variables: Readonly<Record<string, unknown>>
}

function renderPart({ field, engine, parsed, extras, variables }: Part): MailText {
  // A copy without a prototype: `increment` writes into it, and `constructor` is a variable like any other.
  const own = Object.assign(Object.create(null) as object, variables)
  const context = new BoundedContext(engine, own, extras)
  const emitter = new BoundedEmitter(context.budget)
  try {
    renderNodes(parsed, context, emitter)
    return emitter.written
  } catch (error) {
    throw new RenderError(field, detailOf(error), error)
  }
}

/** In one sentence. Also what a filter threw at values it cannot work on: that is between the template and the person. */
function detailOf(error: unknown): string {
  const { originalError = error } = error as { originalError?: unknown }
  if (originalError instanceof BudgetError) return originalError.message
  if (originalError instanceof RangeError) return 'goes beyond what can be rendered'
  if (!LiquidError.is(error)) throw error
  return error.message.replace(/, line:\d+, col:\d+$/, '')
}
