import { type CompileWorker, createCompileWorker } from './compile-worker.ts'
import { type ParsedTemplate, parseSources } from './language/parse-sources.ts'
import { type Planned, planTemplate, type TemplatePlan, type TemplateSource } from './plan-template.ts'
import type { TemplateFault } from './template-fault.ts'
import { PLANNED_HERE_CHARS_MAX } from './template-limits.ts'

export type { TemplateSource } from './plan-template.ts'
export type { TemplateFault, TemplateField } from './template-fault.ts'

/** A template that can be rendered any number of times. Belongs to this process: it cannot be stored. */
export type CompiledTemplate = TemplatePlan & {
  /** Its nodes, made when they are asked for first: a template that is only looked at needs none. */
  parsed(): ParsedTemplate
}

export type Compilation =
  | { outcome: 'compiled'; template: CompiledTemplate; warnings: TemplateFault[] }
  | { outcome: 'faulty'; faults: TemplateFault[] }

/** Thrown when too many templates wait to be compiled, or rendered for a request; it is nobody's fault and may be tried again. */
export class CompilerBusyError extends Error {
  override name = 'CompilerBusyError'
}

/** The one compile thread of this process. It starts with the first template and ends when there has been none for five minutes. */
let compileWorker: CompileWorker | undefined

/**
 * Makes of a template's sources what `renderMail` renders, in a thread of its own but for short ones. Faults that an author
 * can mend come back with their lines, all that are seen at once.
 */
export async function compileTemplate({ subject, body, text }: TemplateSource): Promise<Compilation> {
  const source = { subject, body, text }
  const planned = isSoonPlanned(source) ? await planTemplate(source, neverLaidOut) : await plannedAside(source)
  if (planned.outcome === 'faulty') return planned
  const { plan, warnings } = planned
  let parsed: ParsedTemplate | undefined
  const template = {
    ...plan,
    parsed() {
      parsed ??= parseSources(plan.parts)
      return parsed
    },
  }
  return { outcome: 'compiled', template, warnings }
}

/** Needs no layout, and is checked in less time than it takes to hand it to the thread, or to wait until that has started. */
function isSoonPlanned({ subject, body, text }: TemplateSource): boolean {
  if (text === null || subject.length + body.length + text.length > PLANNED_HERE_CHARS_MAX) return false
  return !/<mj/i.test(body)
}

async function neverLaidOut(): Promise<never> {
  throw new Error('neither MJML nor a text to make')
}

async function plannedAside(source: TemplateSource): Promise<Planned> {
  compileWorker ??= createCompileWorker()
  const result = await compileWorker.run(source)
  switch (result.outcome) {
    case 'busy':
      throw new CompilerBusyError('too many templates wait to be compiled')
    case 'stopped': {
      const detail = `takes too much ${result.reason} to compile`
      return { outcome: 'faulty', faults: [{ field: 'body', line: null, detail }] }
    }
    case 'broken':
      throw new Error(`the compile thread broke: ${result.error}`)
    default:
      return result
  }
}
