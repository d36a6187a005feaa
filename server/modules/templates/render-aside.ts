import { createLimitedThread, type LimitedThread } from '../../platform/limited-thread.ts'
import { type CompiledTemplate, CompilerBusyError } from './compile-template.ts'
import type { LinkRewriter } from './language/bounded-context.ts'
import type { TemplateParts } from './language/parse-sources.ts'
import { RenderError } from './render-parts.ts'
import type { TemplateField } from './template-fault.ts'

/** A link's finished address, its index in the template, and the address that takes its place. */
export type RewrittenLink = readonly [url: string, index: number, address: string]

/** A job for the render thread: a template's parts, and what goes into one message of it. */
export type RenderJob = {
  parts: TemplateParts
  textIsMade: boolean
  variables: Readonly<Record<string, unknown>>
  pixelUrl: string | null
  /** Null: links stay as they are. Those that are missing here stay as well, and are asked for. */
  rewritten: readonly RewrittenLink[] | null
}

export type RenderResult =
  | {
      outcome: 'rendered'
      mail: { subject: string; html: string; text: string }
      asked: [url: string, index: number][]
    }
  | { outcome: 'failed'; field: TemplateField; detail: string }
  /** By a fault of ours. */
  | { outcome: 'broken'; error: string }

const LIMITS = {
  // Steps and characters are counted; this is for work that they do not see.
  cpuMs: 2_000,
  wallMs: 15_000,
  heapMb: 96,
  idleMs: 60_000,
}

/** Those a message is rendered for: a sender, or a request that somebody waits for. */
export type RenderedFor = 'sender' | 'request'
/** Senders have claimed what they wait for; twenty requests wait some seconds, and more are told so at once. */
const WAITING_MAX: Readonly<Record<RenderedFor, number>> = { sender: Number.POSITIVE_INFINITY, request: 20 }
/** A link may stand in a captured text that another link is made of, and so on. */
const ROUNDS_MAX = 4

/** The two render threads of this process, so that no previews hold up mail. Each starts with its first message that takes long. */
const threads: Partial<Record<RenderedFor, LimitedThread<RenderJob, RenderResult>>> = {}

type Given = { variables: RenderJob['variables']; rewriteLink: LinkRewriter | null; pixelUrl: string | null }
type Aside = { mail: { subject: string; html: string; text: string }; links: string[] }

/**
 * Renders a message in the render thread. Keys that sign links stay here: the thread says which links there are, and renders
 * again with what becomes of them. `links` as they came first. Throws `RenderError`, and for a request `CompilerBusyError` when
 * too many wait or the machine has no time.
 */
export async function renderAside(
  { parts, textIsMade }: CompiledTemplate,
  { variables, rewriteLink, pixelUrl, renderedFor }: Given & { renderedFor: RenderedFor },
): Promise<Aside> {
  const rewritten: RewrittenLink[] = []
  let links: string[] | undefined
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const job = { parts, textIsMade, variables, pixelUrl, rewritten: rewriteLink && rewritten }
    const { mail, asked } = await rendered(job, renderedFor)
    links ??= asked.map(([url]) => url)
    const answers =
      rewriteLink === null ? [] : distinct(asked).map(([url, index]) => [url, index, rewriteLink(url, index)] as const)
    if (answers.every(([url, , address]) => url === address)) return { mail, links }
    rewritten.push(...answers)
  }
  throw new RenderError('body', 'has links made of links made of links', undefined)
}

function distinct(asked: readonly [url: string, index: number][]): [url: string, index: number][] {
  return [...new Map(asked.map((one) => [one.join(' '), one])).values()]
}

async function rendered(
  job: RenderJob,
  renderedFor: RenderedFor,
): Promise<Extract<RenderResult, { outcome: 'rendered' }>> {
  threads[renderedFor] ??= createLimitedThread(new URL('./render-thread.ts', import.meta.url), {
    ...LIMITS,
    waitingMax: WAITING_MAX[renderedFor],
  })
  const result = await threads[renderedFor].run(job)
  switch (result.outcome) {
    case 'rendered':
      return result
    case 'failed':
      throw new RenderError(result.field, result.detail, undefined)
    case 'stopped':
      throw new RenderError('body', `takes too much ${result.reason} to render`, undefined)
    case 'busy':
      if (renderedFor === 'request') throw new CompilerBusyError('too many messages wait to be rendered')
      // The machine had no time for the thread.
      return rendered(job, renderedFor)
    case 'broken':
      throw new Error(`the render thread broke: ${result.error}`)
  }
}
