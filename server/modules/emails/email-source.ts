import type pg from 'pg'
import type { Transaction } from '../../platform/db/transaction.ts'
import { parseExactJson } from '../../platform/json/exact-json.ts'
import type { Mailbox } from '../../platform/mail/compose-message.ts'
import type { ClaimedMessage, ContentFault, MessageContent, MessageSource } from '../sending/message-source.ts'
import type { CompiledTemplate, TemplateSource } from '../templates/compile-template.ts'
import type { CompiledCache } from '../templates/compiled-cache.ts'
import { mergePeople } from '../templates/merge-people.ts'
import { type MergeContact, mergeVariables, strangerAt } from '../templates/merge-variables.ts'
import { RenderError, renderMail } from '../templates/render-template.ts'
import { refKey, templateSources } from '../templates/template-sources.ts'
import type { MessageLinkMaker } from '../tracking/message-links.ts'
import { type AttachmentRow, attachmentsOf, type ContentRow, contentsOf, suppressedAmong } from './content-queries.ts'
import { ownSource } from './finish-content.ts'
import { submittedMail } from './submitted-mails.ts'

export type EmailSourceDeps = { sql: pg.Pool; compiled: CompiledCache; links: MessageLinkMaker }

type Prepared = {
  row: ContentRow
  /** Null: the content goes out as it is stored. */
  template: CompiledTemplate | null
  furtherTo: readonly Mailbox[]
  cc: readonly Mailbox[]
  bcc: readonly string[]
  attachments: readonly AttachmentRow[]
  contact: MergeContact
}

/** Gives the engine what single messages say. Both kinds go through the workspace's default integration. */
export function emailSource(deps: EmailSourceDeps, kind: 'email' | 'test'): MessageSource {
  return {
    kind,
    senderOf: async () => ({ integrationId: null, fromEmail: null, fromName: null }),
    async prepare(tx, { workspaceId, messages, sender }) {
      const read = await readAll(tx, { workspaceId, messages })
      let prepared = new Map<string, Prepared | ContentFault>()
      return {
        async finish() {
          ;[prepared] = await Promise.all([compileAll(deps, read), deps.links.ready()])
        },
        async contentOf(message) {
          const one = prepared.get(message.id) ?? gone
          return 'fault' in one ? one : contentOf(deps, message, { ...one, sender })
        },
      }
    },
  }
}

const gone: ContentFault = { fault: 'render_failed', detail: 'what it says is no longer there' }

type Read = { contents: readonly Omit<Prepared, 'template'>[]; sources: ReadonlyMap<string, TemplateSource> }

async function readAll(
  tx: Transaction,
  { workspaceId, messages }: { workspaceId: string; messages: readonly ClaimedMessage[] },
): Promise<Read> {
  const rows = await contentsOf(tx, workspaceId, messages)
  const copies = new Map(
    rows.map((row) => [
      row.messageId,
      { furtherTo: mailboxes(row.furtherTo), cc: mailboxes(row.cc), bcc: addresses(row.bcc) },
    ]),
  )
  const copied = [...copies.values()].flatMap(({ furtherTo, cc, bcc }) => [
    ...[...furtherTo, ...cc].map(({ address }) => address),
    ...bcc,
  ])
  const [attachments, contacts, sources, suppressed] = await Promise.all([
    attachmentsOf(tx, workspaceId, messages),
    mergePeople(tx, workspaceId, [...new Set(messages.flatMap(({ contactId }) => contactId ?? []))]),
    templateSources(tx, workspaceId, rows.flatMap(refOf)),
    suppressedAmong(tx, workspaceId, [...new Set(copied)]),
  ])
  const attached = Map.groupBy(attachments, ({ messageId }) => messageId)
  const known = new Map(contacts.map((contact) => [contact.id, contact]))
  const messageOf = new Map(messages.map((message) => [message.id, message]))
  const contents = rows.map((row) => {
    const { contactId, destination } = messageOf.get(row.messageId)!
    const { furtherTo, cc, bcc } = copies.get(row.messageId)!
    return {
      row,
      furtherTo: furtherTo.filter(({ address }) => !suppressed.has(address)),
      cc: cc.filter(({ address }) => !suppressed.has(address)),
      bcc: bcc.filter((address) => !suppressed.has(address)),
      attachments: attached.get(row.messageId) ?? [],
      contact: known.get(contactId ?? '') ?? strangerAt(destination),
    }
  })
  return { contents, sources }
}

async function compileAll(
  { compiled }: EmailSourceDeps,
  { contents, sources }: Read,
): Promise<Map<string, Prepared | ContentFault>> {
  const prepared = new Map<string, Prepared | ContentFault>()
  for (const content of contents) {
    const template = await compiledOf(compiled, content.row, sources)
    const isFault = template !== null && 'fault' in template
    prepared.set(content.row.messageId, isFault ? template : { ...content, template })
  }
  return prepared
}

function refOf({ templateId, templateVersion }: ContentRow) {
  return templateId === null ? [] : [{ id: templateId, version: templateVersion! }]
}

async function compiledOf(
  compiled: CompiledCache,
  row: ContentRow,
  sources: ReadonlyMap<string, TemplateSource>,
): Promise<CompiledTemplate | ContentFault | null> {
  const [ref] = refOf(row)
  const { subject, html, text, variables } = row
  const isFinal = variables === null
  const isTracked = row.trackOpens || row.trackClicks
  if (row.submittedId !== null) return null
  if (ref === undefined && isFinal && (html === null || (text !== null && !isTracked))) return null
  const own = subject === null ? undefined : ownSource({ subject, html, text, isFinal })
  const source = ref === undefined ? own : sources.get(refKey(ref))
  if (source === undefined) return gone
  const compilation = await compiled.compile(source)
  if (compilation.outcome === 'compiled') return compilation.template
  // HTML that was taken without a text goes without one where none can be made of it.
  if (ref === undefined && isFinal && !isTracked) return null
  return { fault: 'render_failed', detail: compilation.faults[0]?.detail ?? 'it cannot be compiled' }
}

type Sendable = Prepared & { sender: { email: string; name: string | null } }

async function contentOf(
  deps: EmailSourceDeps,
  message: ClaimedMessage,
  of: Sendable,
): Promise<MessageContent | ContentFault> {
  const { row, sender, furtherTo, cc, bcc, attachments } = of
  if (row.submittedId !== null) return submittedContent(deps, message, row)
  const parts = await render(deps, message, of)
  if ('fault' in parts) return parts
  const { fromEmail, fromName } = row
  return {
    ...parts,
    from: { address: fromEmail ?? sender.email, name: fromName ?? (fromEmail === null ? sender.name : null) },
    to: [{ address: message.destination, name: row.destinationName }, ...furtherTo],
    cc,
    bcc,
    replyTo: mailboxes(row.replyTo),
    headers: JSON.parse(row.headers),
    attachments: attachments.map(({ contentId, fileName, contentType, content }) => ({
      ...{ fileName, contentType, content },
      ...(contentId === null ? {} : { contentId }),
    })),
    ...(row.oneClickUrl === null ? {} : { oneClickUrl: row.oneClickUrl }),
  }
}

/** Read when its turn comes, lest a whole batch of large ones is in memory. */
async function submittedContent(
  { sql }: EmailSourceDeps,
  { workspaceId, destination }: ClaimedMessage,
  { submittedId, createdAt, fromEmail, fromName, subject }: ContentRow,
): Promise<MessageContent | ContentFault> {
  const whole = await submittedMail(sql, workspaceId, { id: submittedId!, createdAt })
  if (whole === undefined) return gone
  return {
    from: { address: fromEmail!, name: fromName },
    to: [{ address: destination, name: null }],
    ...{ subject: subject ?? '', html: null, text: null, whole },
  }
}

type Parts = Pick<MessageContent, 'subject' | 'html' | 'text'>

async function render(
  { links }: EmailSourceDeps,
  message: ClaimedMessage,
  { row, template, contact }: Prepared,
): Promise<Parts | ContentFault> {
  if (template === null) return { subject: row.subject!, html: row.html, text: row.text }
  const { workspaceId, id: messageId, contactId, destination } = message
  const urls = links.of({ workspaceId, messageId, contactId, destination, sendingSource: 'broadcasts' })
  const variables = row.variables === null ? {} : (parseExactJson(row.variables) as Record<string, unknown>)
  const { unsubscribeUrl, preferencesUrl } = urls
  try {
    const rendered = await renderMail(
      template,
      mergeVariables(contact, { unsubscribeUrl, preferencesUrl, variables }),
      row.trackClicks ? (url, index) => urls.clickUrl(url, index) : null,
      { pixelUrl: row.trackOpens ? urls.openUrl : null },
    )
    return { ...rendered, html: row.templateId === null && row.html === null ? null : rendered.html }
  } catch (error) {
    if (!(error instanceof RenderError)) throw error
    return { fault: 'render_failed', detail: error.message }
  }
}

const mailboxes = (json: string): Mailbox[] => JSON.parse(json)
const addresses = (json: string): string[] => JSON.parse(json)
