import type { Contact } from '../../contacts/schemas.ts'
import type { ClaimedMessage, ContentFault, MessageContent, MessageSource } from '../../sending/message-source.ts'
import type { CompiledTemplate, TemplateSource } from '../../templates/compile-template.ts'
import type { CompiledCache } from '../../templates/compiled-cache.ts'
import { mergePeople } from '../../templates/merge-people.ts'
import { mergeVariables } from '../../templates/merge-variables.ts'
import { RenderError, renderMail } from '../../templates/render-template.ts'
import { refKey, templateSources } from '../../templates/template-sources.ts'
import type { MessageLinkMaker } from '../../tracking/message-links.ts'
import { loadDefinitions } from '../definition/load-definitions.ts'
import { setsVariables } from '../definition/read-variables.ts'
import { type MailSettings, mailSettings, type RunMessage, runMessages, senderOf } from './mail-queries.ts'
import type { Variables } from './variables.ts'
import { type Visit, variablesAt, visitKey } from './variables-at.ts'

export type SourceDeps = { compiled: CompiledCache; links: MessageLinkMaker }

/** Where the mails of automations come from: the content of the node they are of, in the version their run is in. */
export function automationSource(deps: SourceDeps): MessageSource {
  return {
    kind: 'automation',
    senderOf: (tx, workspaceId, sourceId) => senderOf(tx, { workspaceId, automationId: sourceId! }),
    async prepare(tx, { workspaceId, messages, sender }) {
      const ofRuns = await runMessages(tx, workspaceId, messages)
      const contents = new Map<string, TemplateSource>()
      const visits: Visit[] = []
      for (const [automationId, of] of Map.groupBy(ofRuns.values(), (one) => one.automationId)) {
        const key = { workspaceId, automationId }
        const definitions = await loadDefinitions(tx, key, [...new Set(of.map(({ version }) => version))])
        const mails = of.flatMap((one) => {
          const node = definitions.get(one.version)?.nodes[one.node]
          return node?.type === 'email' ? [{ one, content: node.content }] : []
        })
        visits.push(...of.filter(({ version }) => setsVariables(definitions.get(version))))
        const refs = mails.flatMap(({ content }) =>
          'template' in content ? [{ id: content.template.id, version: content.template.version ?? 0 }] : [],
        )
        const sources = await templateSources(tx, workspaceId, refs)
        for (const { one, content } of mails) {
          const source =
            'template' in content
              ? sources.get(refKey({ id: content.template.id, version: content.template.version ?? 0 }))
              : content
          if (source) contents.set(placeOf(one), source)
        }
      }
      const people = await mergePeople(
        tx,
        workspaceId,
        messages.flatMap(({ contactId }) => contactId ?? []),
      )
      const byId = new Map(people.map((contact) => [contact.id, contact]))
      const settings = await mailSettings(tx, workspaceId)
      const kept = await variablesAt(tx, workspaceId, visits)
      let templates: Awaited<ReturnType<typeof compiledOf>> = new Map()
      const from = { address: sender.email, name: sender.name }
      return {
        async finish() {
          ;[templates] = await Promise.all([compiledOf(deps, contents), deps.links.ready()])
        },
        async contentOf(message) {
          const contact = message.contactId === null ? undefined : byId.get(message.contactId)
          if (!contact) return { fault: 'contact_gone', detail: 'The contact was erased.' }
          const of = ofRuns.get(message.id)
          const template = of && templates.get(placeOf(of))
          if (!of || !template) return { fault: 'render_failed', detail: 'Its template is no more.' }
          if ('fault' in template) return template
          const own = kept.get(visitKey(of)) ?? {}
          return contentFor(deps, message, { of, own, contact, template, settings, from })
        },
      }
    },
  }
}

const placeOf = ({ automationId, version, node }: RunMessage) => `${automationId}/${version}/${node}`

/** Templates by the place of their mail, compiled once in this process for as long as they are in use. */
async function compiledOf(
  { compiled }: SourceDeps,
  contents: ReadonlyMap<string, TemplateSource>,
): Promise<Map<string, CompiledTemplate | ContentFault>> {
  const entries = [...contents].map(async ([place, source]): Promise<[string, CompiledTemplate | ContentFault]> => {
    const compilation = await compiled.compile({ subject: source.subject, body: source.body, text: source.text })
    if (compilation.outcome === 'compiled') return [place, compilation.template]
    const [fault] = compilation.faults
    return [place, { fault: 'render_failed', detail: `${fault?.field}: ${fault?.detail}` }]
  })
  return new Map(await Promise.all(entries))
}

type Rendering = {
  of: RunMessage
  /** The variables of the run. */
  own: Variables
  contact: Contact
  template: CompiledTemplate
  settings: MailSettings
  from: MessageContent['from']
}

async function contentFor(
  { links }: SourceDeps,
  message: ClaimedMessage,
  { of, own: variablesOfRun, contact, template, settings, from }: Rendering,
): Promise<MessageContent | ContentFault> {
  const { workspaceId, id: messageId, contactId, destination } = message
  const sendingSource = `automation:${of.automationId}` as const
  const own = links.of({ workspaceId, messageId, contactId, destination, sendingSource })
  const { unsubscribeUrl, preferencesUrl } = own
  const event = of.properties
  const variables = mergeVariables(
    { ...contact, email: destination },
    {
      unsubscribeUrl,
      preferencesUrl,
      variables: { event, var: variablesOfRun, postal_address: settings.postalAddress ?? '' },
    },
  )
  const rewrite = settings.trackClicks ? (url: string, index: number) => own.clickUrl(url, index) : null
  try {
    const rendered = await renderMail(template, variables, rewrite, {
      pixelUrl: settings.trackOpens ? own.openUrl : null,
    })
    if (rendered.subject === '') return { fault: 'render_failed', detail: 'subject: is empty for this person' }
    const name = [contact.firstName, contact.lastName].filter(Boolean).join(' ') || null
    return {
      ...{ from, to: [{ address: destination, name }], subject: rendered.subject, html: rendered.html },
      text: rendered.text.trim() === '' ? null : rendered.text,
      ...(message.purpose === 'marketing' ? { oneClickUrl: unsubscribeUrl } : {}),
    }
  } catch (error) {
    if (!(error instanceof RenderError)) throw error
    return { fault: 'render_failed', detail: error.message }
  }
}
