import { createLimitedThread, type LimitedThread } from '../../platform/limited-thread.ts'
import type { CompiledTemplate } from './compile-template.ts'
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
  // Senders have claimed what they wait for, and requests have their time.
  waitingMax: Number.POSITIVE_INFINITY,
}
/** A link may stand in a captured text that another link is made of, and so on. */
const ROUNDS_MAX = 4

/** The one render thread of this process. It starts with the first message that takes long. */
let worker: LimitedThread<RenderJob, RenderResult> | undefined

type Given = { variables: RenderJob['variables']; rewriteLink: LinkRewriter | null; pixelUrl: string | null }
type Aside = { mail: { subject: string; html: string; text: string }; links: string[] }

/**
 * Renders a message in the render thread. Keys that sign links stay here: the thread says which links there are, and renders
 * again with what becomes of them. `links` as they came first. Throws `RenderError`.
 */
export async function renderAside(
  { parts, textIsMade }: CompiledTemplate,
  { variables, rewriteLink, pixelUrl }: Given,
): Promise<Aside> {
  const rewritten: RewrittenLink[] = []
  let links: string[] | undefined
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const job = { parts, textIsMade, variables, pixelUrl, rewritten: rewriteLink && rewritten }
    const { mail, asked } = await rendered(job)
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

async function rendered(job: RenderJob): Promise<Extract<RenderResult, { outcome: 'rendered' }>> {
  worker ??= createLimitedThread(new URL('./render-thread.ts', import.meta.url), LIMITS)
  const result = await worker.run(job)
  switch (result.outcome) {
    case 'rendered':
      return result
    case 'failed':
      throw new RenderError(result.field, result.detail, undefined)
    case 'stopped':
      throw new RenderError('body', `takes too much ${result.reason} to render`, undefined)
    // The machine had no time for the thread.
    case 'busy':
      return rendered(job)
    case 'broken':
      throw new Error(`the render thread broke: ${result.error}`)
  }
}
