import { type Liquid, LiquidError, type Template } from 'liquidjs'
import { type MailText, wholeText } from '../../platform/mail/mail-text.ts'
import { BoundedContext, BoundedEmitter, type LinkRewriter, type RenderExtras } from './language/bounded-context.ts'
import { htmlEngine, textEngine } from './language/liquid-engine.ts'
import type { ParsedTemplate } from './language/parse-sources.ts'
import { BudgetError, RenderBudget, type RenderLimits } from './language/render-budget.ts'
import { renderNodes } from './language/render-nodes.ts'
import type { TemplateField } from './template-fault.ts'
import { SUBJECT_OUTPUT_CHARS_MAX } from './template-limits.ts'

export type { LinkRewriter } from './language/bounded-context.ts'
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

/** A template as it is rendered, and what goes into one message of it. */
export type Rendering = {
  parsed: ParsedTemplate
  textIsMade: boolean
  variables: Readonly<Record<string, unknown>>
  rewriteLink: LinkRewriter | null
  pixelUrl: string | null
  limits?: RenderLimits
}

/**
 * Renders a message at once (`renderMail` says where that is good). Throws `RenderError`. The same input gives the same
 * output; nothing outside the variables can be read, and what it may take is counted (`template-limits.ts`).
 */
export function renderParts({ parsed, textIsMade, variables, rewriteLink, pixelUrl, limits }: Rendering): RenderedMail {
  const budget = new RenderBudget(limits)
  const plain: RenderExtras = { budget, rewriteLink: null, pixelUrl: null, untracked: [] }
  const untracked = [variables.unsubscribe_url, variables.preferences_url].filter((url) => typeof url === 'string')
  const part = (field: TemplateField, engine: Liquid, nodes: readonly Template[], extras: RenderExtras) =>
    renderPart({ field, engine, nodes, extras, variables })
  const subject = wholeText(part('subject', textEngine, parsed.subject, plain))
    .replace(CONTROL_OR_BREAK, ' ')
    .trim()
  if (subject.length > SUBJECT_OUTPUT_CHARS_MAX) {
    throw new RenderError('subject', `has more than ${SUBJECT_OUTPUT_CHARS_MAX} characters`, undefined)
  }
  const html = part('body', htmlEngine, parsed.html, { budget, rewriteLink, pixelUrl, untracked })
  const text = wholeText(part('text', textEngine, parsed.text, plain))
  return {
    subject,
    html,
    text: textIsMade ? withoutGaps(text) : text,
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
  nodes: readonly Template[]
  extras: RenderExtras
  variables: Readonly<Record<string, unknown>>
}

function renderPart({ field, engine, nodes, extras, variables }: Part): MailText {
  // A copy without a prototype: `increment` writes into it, and `constructor` is a variable like any other.
  const own = Object.assign(Object.create(null) as object, variables)
  const context = new BoundedContext(engine, own, extras)
  const emitter = new BoundedEmitter(context.budget)
  try {
    renderNodes(nodes, context, emitter)
    return emitter.written
  } catch (error) {
    throw new RenderError(field, detailOf(error), error)
  }
}

/** Whether a rendering ended for what it would take. */
export function isBeyondLimits({ cause }: RenderError): boolean {
  return cause instanceof Error && originOf(cause) instanceof BudgetError
}

/** The error itself, where those of the library only say at which node it was thrown. */
function originOf(error: unknown): unknown {
  const { originalError = error } = error as { originalError?: unknown }
  return originalError
}

/** In one sentence. Also what a filter threw at values it cannot work on: that is between the template and the person. */
function detailOf(error: unknown): string {
  const origin = originOf(error)
  if (origin instanceof BudgetError) return origin.message
  if (origin instanceof RangeError) return 'goes beyond what can be rendered'
  if (!LiquidError.is(error)) throw error
  return error.message.replace(/, line:\d+, col:\d+$/, '')
}
