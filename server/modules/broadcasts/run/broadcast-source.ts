import type { Transaction } from '../../../platform/db/transaction.ts'
import type { Contact } from '../../contacts/schemas.ts'
import type {
  ClaimedMessage,
  ContentFault,
  MessageContent,
  MessageSource,
  StreamSender,
} from '../../sending/message-source.ts'
import type { CompiledTemplate } from '../../templates/compile-template.ts'
import type { CompiledCache } from '../../templates/compiled-cache.ts'
import { mergePeople } from '../../templates/merge-people.ts'
import { mergeVariables } from '../../templates/merge-variables.ts'
import { RenderError, renderMail } from '../../templates/render-template.ts'
import type { MessageLinkMaker } from '../../tracking/message-links.ts'
import { broadcastContents, broadcastSender, type MailSettings, mailSettingsOf } from '../source-queries.ts'
import { finishWhenDone } from './end-broadcast.ts'

export type SourceDeps = {
  compiled: CompiledCache
  links: MessageLinkMaker
}

/** Where the messages of broadcasts come from: who sends them, and what they say to each person. */
export function broadcastSource(deps: SourceDeps): MessageSource {
  return {
    kind: 'broadcast',
    async senderOf(tx, workspaceId, sourceId): Promise<StreamSender> {
      return broadcastSender(tx, { workspaceId, id: sourceId! })
    },
    async prepare(tx, { workspaceId, messages, sender }) {
      const [contents, people, settings] = await Promise.all([
        broadcastContents(tx, workspaceId, [...new Set(messages.map(({ sourceId }) => sourceId!))]),
        peopleOf(tx, workspaceId, messages),
        mailSettingsOf(tx, workspaceId),
      ])
      let templates: Awaited<ReturnType<typeof compiledOf>> = new Map()
      const from = { address: sender.email, name: sender.name }
      return {
        async finish() {
          ;[templates] = await Promise.all([compiledOf(deps, contents), deps.links.ready()])
        },
        async contentOf(message) {
          const contact = message.contactId === null ? undefined : people.get(message.contactId)
          if (!contact) return { fault: 'contact_gone', detail: 'The contact was erased.' }
          const template = templates.get(message.sourceId!)!
          if ('fault' in template) return template
          return contentFor(deps, message, { contact, template, settings, from })
        },
      }
    },
    async drained(tx, workspaceId, sourceId) {
      await finishWhenDone(tx, { workspaceId, id: sourceId })
    },
  }
}

/** The broadcasts' templates, compiled once in this process for as long as they are in use. */
async function compiledOf(
  { compiled }: SourceDeps,
  contents: Awaited<ReturnType<typeof broadcastContents>>,
): Promise<Map<string, CompiledTemplate | ContentFault>> {
  const entries = contents.map(async ({ id, ...content }): Promise<[string, CompiledTemplate | ContentFault]> => {
    const compilation = await compiled.compile(content)
    if (compilation.outcome === 'compiled') return [id, compilation.template]
    const [fault] = compilation.faults
    return [id, { fault: 'render_failed', detail: `${fault?.field}: ${fault?.detail}` }]
  })
  return new Map(await Promise.all(entries))
}

async function peopleOf(
  tx: Transaction,
  workspaceId: string,
  messages: readonly ClaimedMessage[],
): Promise<Map<string, Contact>> {
  const ids = messages.flatMap(({ contactId }) => contactId ?? [])
  return new Map((await mergePeople(tx, workspaceId, ids)).map((contact) => [contact.id, contact]))
}

type Rendering = {
  contact: Contact
  template: CompiledTemplate
  settings: MailSettings
  from: MessageContent['from']
}

async function contentFor(
  { links }: SourceDeps,
  message: ClaimedMessage,
  { contact, template, settings, from }: Rendering,
): Promise<MessageContent | ContentFault> {
  const { workspaceId, id: messageId, contactId, destination, topicId } = message
  const sendingSource = topicId === null ? 'broadcasts' : (`topic:${topicId}` as const)
  const own = links.of({ workspaceId, messageId, contactId, destination, sendingSource })
  const { unsubscribeUrl, preferencesUrl } = own
  const { postalAddress, trackClicks, trackOpens } = settings
  // The address is the one that was planned and checked, whatever the contact's is by now.
  const variables = mergeVariables(
    { ...contact, email: destination },
    { unsubscribeUrl, preferencesUrl, variables: { postal_address: postalAddress ?? '' } },
  )
  try {
    const rewrite = trackClicks ? (url: string, index: number) => own.clickUrl(url, index) : null
    const rendered = await renderMail(template, variables, rewrite, { pixelUrl: trackOpens ? own.openUrl : null })
    if (rendered.subject === '') return { fault: 'render_failed', detail: 'subject: is empty for this person' }
    return {
      from,
      to: [{ address: destination, name: nameOf(contact) }],
      subject: rendered.subject,
      html: rendered.html,
      text: rendered.text.trim() === '' ? null : rendered.text,
      oneClickUrl: unsubscribeUrl,
    }
  } catch (error) {
    if (!(error instanceof RenderError)) throw error
    return { fault: 'render_failed', detail: error.message }
  }
}

function nameOf({ firstName, lastName }: Contact): string | null {
  return [firstName, lastName].filter(Boolean).join(' ') || null
}
