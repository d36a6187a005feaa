import { CompilerBusyError, type TemplateFault, type TemplateSource } from '../templates/compile-template.ts'
import type { CompiledCache } from '../templates/compiled-cache.ts'
import { isMjml } from '../templates/layout/prepare-mjml.ts'
import { RenderError, renderTemplate } from '../templates/render-template.ts'
import type { CheckedEmail, EmailFault } from './check-email.ts'

/** Of a request's time, what making content may take: after it nothing has been done, and that is said. */
const MAKING_MS = 1_000

/**
 * Content of an email's own, as far as it can be made when it is accepted: where Liquid is to be applied, that is checked;
 * otherwise MJML becomes HTML and the text part is made from it, once and for all. HTML whose text is not there in time
 * is taken without, and the sender makes it; for anything else `CompilerBusyError`. `startedAt`: of the request, as
 * `performance.now()`.
 */
export async function finishContent(
  compiled: CompiledCache,
  email: CheckedEmail,
  startedAt = performance.now(),
): Promise<{ email: CheckedEmail } | { faults: EmailFault[] }> {
  const { subject, html, text, variables } = email
  if (subject === null) return { email }
  const isFinal = variables === null
  if (isFinal && (html === null || (text !== null && !isMjml(html)))) return { email }
  const source = ownSource({ subject, html, text, isFinal })
  const until = startedAt + MAKING_MS
  const compilation = await inTime(compiled.compile(source), until)
  if (compilation === 'late') return untouched(email)
  if (compilation.outcome === 'faulty') return { faults: compilation.faults.map(faultOf) }
  if (!isFinal) return { email }
  try {
    const made = await inTime(renderTemplate(compilation.template, {}), until)
    if (made === 'late') return untouched(email)
    return { email: { ...email, html: isMjml(html!) ? made.html : html, text: text ?? made.text } }
  } catch (error) {
    if (!(error instanceof RenderError)) throw error
    return { faults: [{ kind: 'rule', pointer: pointerOf(error.field), detail: error.message }] }
  }
}

/** The sender makes the text of HTML that is final; all else nobody has checked. */
function untouched(email: CheckedEmail): { email: CheckedEmail } {
  if (email.variables === null && !isMjml(email.html!)) return { email }
  throw new CompilerBusyError('the template was not made in time')
}

/** Late as well when too many others wait. A late one goes on, for whoever asks for it next. */
async function inTime<T>(making: Promise<T>, until: number): Promise<T | 'late'> {
  const made = making.catch((error: unknown) => {
    if (error instanceof CompilerBusyError) return 'late' as const
    throw error
  })
  const leftMs = until - performance.now()
  if (leftMs <= 0) {
    made.catch(() => undefined)
    return 'late'
  }
  const clock = Promise.withResolvers<'late'>()
  const timer = setTimeout(() => clock.resolve('late'), leftMs)
  return Promise.race([made, clock.promise]).finally(() => clearTimeout(timer))
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
