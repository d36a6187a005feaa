import type { TemplateFault, TemplateSource } from '../templates/compile-template.ts'
import type { CompiledCache } from '../templates/compiled-cache.ts'
import { isMjml } from '../templates/layout/prepare-mjml.ts'
import { RenderError, renderTemplate } from '../templates/render-template.ts'
import type { CheckedEmail, EmailFault } from './check-email.ts'

/**
 * Content of an email's own, as far as it can be made when it is accepted: where Liquid is to be applied, that is checked;
 * otherwise MJML becomes HTML and the text part is made from it, once and for all.
 */
export async function finishContent(
  compiled: CompiledCache,
  email: CheckedEmail,
): Promise<{ email: CheckedEmail } | { faults: EmailFault[] }> {
  const { subject, html, text, variables } = email
  if (subject === null) return { email }
  const isFinal = variables === null
  if (isFinal && (html === null || (text !== null && !isMjml(html)))) return { email }
  const source = ownSource({ subject, html, text, isFinal })
  const compilation = await compiled.compile(source)
  if (compilation.outcome === 'faulty') return { faults: compilation.faults.map(faultOf) }
  if (!isFinal) return { email }
  try {
    const made = renderTemplate(compilation.template, {}, null)
    return { email: { ...email, html: isMjml(html!) ? made.html : html, text: text ?? made.text } }
  } catch (error) {
    if (!(error instanceof RenderError)) throw error
    return { faults: [{ kind: 'rule', pointer: pointerOf(error.field), detail: error.message }] }
  }
}

/** Content of an email's own as a template; what is final is without Liquid, whatever it looks like. */
export function ownSource(own: {
  subject: string
  html: string | null
  text: string | null
  isFinal: boolean
}): TemplateSource {
  const { subject, html, text, isFinal } = own
  const source = (part: string) => (isFinal ? literally(part) : part)
  return { subject: source(subject), body: source(html ?? ''), text: text === null ? null : source(text) }
}

/** A template whose output is exactly this text. Not by `raw`, in which no link could be found. */
const literally = (text: string) => text.replaceAll(/\{[{%]/g, (delimiter) => `{{ '${delimiter}' }}`)

function faultOf({ field, line, detail }: TemplateFault): EmailFault {
  return { kind: 'rule', pointer: pointerOf(field), detail: line === null ? detail : `line ${line}: ${detail}` }
}

const pointerOf = (field: TemplateFault['field']) => (field === 'body' ? '/html' : `/${field}`)
