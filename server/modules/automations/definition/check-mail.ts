import { overloaded } from '../../../catalogue/problems.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import type { FieldError } from '../../../platform/problem.ts'
import { CompilerBusyError, type TemplateSource } from '../../templates/compile-template.ts'
import type { CompiledCache } from '../../templates/compiled-cache.ts'
import { templateSources, templateVersions } from '../../templates/template-sources.ts'
import type { Definition } from './definition.ts'
import { escaped } from './reading.ts'

const BUSY_RETRY_SECONDS = 2
/** Either leads out of marketing mail. */
const WAYS_OUT = ['unsubscribe_url', 'preferences_url']

export type Mail = { node: string; source: TemplateSource; own: boolean }

/** A notice to the team as it is compiled: its message is the text part. */
export const noticeSource = (message: string): TemplateSource => ({ subject: '-', body: '<p>-</p>', text: message })

/** The mails of a definition with their sources; those of templates that are not there are left out. */
export async function mailsOf(tx: Transaction, workspaceId: string, { nodes }: Definition): Promise<Mail[]> {
  const mails = Object.entries(nodes).flatMap(([node, one]) => (one.type === 'email' ? [{ node, ...one }] : []))
  const open = mails.flatMap(({ content }) =>
    'template' in content && content.template.version === null ? [content.template.id] : [],
  )
  const current = await templateVersions(tx, workspaceId, open)
  const refOf = ({ id, version }: { id: string; version: number | null }) => ({
    id,
    version: version ?? current.get(id) ?? 0,
  })
  const refs = mails.flatMap(({ content }) => ('template' in content ? [refOf(content.template)] : []))
  const sources = await templateSources(tx, workspaceId, refs)
  return mails.flatMap(({ node, content }): Mail[] => {
    if (!('template' in content)) return [{ node, source: content, own: true }]
    const { id, version } = refOf(content.template)
    const source = sources.get(`${id}/${version}`)
    return source ? [{ node, source, own: false }] : []
  })
}

/** Faults of mails: those that cannot be compiled, and marketing without a way out. No transaction waits for it. */
export async function checkMails(
  compiled: CompiledCache,
  mails: readonly Mail[],
  { class: mailClass, nodes }: Definition,
): Promise<FieldError[]> {
  const found = await Promise.all([
    ...mails.map((mail) => faultsOf(compiled, mail, mailClass === 'marketing')),
    ...Object.entries(nodes).map(([id, node]) =>
      node.type === 'notify' && node.message !== null ? noticeFaults(compiled, id, node.message) : [],
    ),
  ])
  return found.flat()
}

async function noticeFaults(compiled: CompiledCache, node: string, message: string): Promise<FieldError[]> {
  const compilation = await compile(compiled, noticeSource(message))
  if (compilation.outcome === 'compiled') return []
  const pointer = `/definition/nodes/${escaped(node)}/message`
  return compilation.faults.map(({ line, detail }) => ({ pointer, detail: lined(line, detail) }))
}

async function faultsOf(
  compiled: CompiledCache,
  { node, source, own }: Mail,
  isMarketing: boolean,
): Promise<FieldError[]> {
  const at = `/definition/nodes/${escaped(node)}`
  const compilation = await compile(compiled, source)
  if (compilation.outcome === 'faulty') {
    return compilation.faults.map(({ field, line, detail }) => ({
      pointer: own ? `${at}/${field}` : `${at}/template`,
      detail: lined(line, detail),
    }))
  }
  if (!isMarketing || WAYS_OUT.some((name) => compilation.template.variables.includes(name))) return []
  const detail = 'has no link to unsubscribe: put {{ unsubscribe_url }} or {{ preferences_url }} into it'
  return [{ pointer: own ? `${at}/body` : `${at}/template`, detail }]
}

const lined = (line: number | null, detail: string) => (line === null ? detail : `line ${line}: ${detail}`)

function compile(compiled: CompiledCache, source: TemplateSource) {
  return compiled.compile(source).catch((error: unknown) => {
    throw error instanceof CompilerBusyError ? overloaded(BUSY_RETRY_SECONDS) : error
  })
}
