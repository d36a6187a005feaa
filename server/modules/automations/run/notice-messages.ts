import type { CompiledCache } from '../../templates/compiled-cache.ts'
import { mergeVariables } from '../../templates/merge-variables.ts'
import { RenderError, renderMail } from '../../templates/render-template.ts'
import { noticeSource } from '../definition/check-mail.ts'
import type { Named, Waiting } from './notice-queries.ts'

/** The messages of steps, rendered for the people who are named, by the ids of these. One that fails says so: the team is told all the same. */
export async function messagesFor(
  compiled: CompiledCache,
  { definitions, named }: Pick<Waiting, 'definitions' | 'named'>,
): Promise<Map<string, string>> {
  const messages = new Map<string, string>()
  for (const one of named) {
    const node = definitions.get(one.version)?.nodes[one.node]
    if (node?.type === 'notify' && node.message !== null)
      messages.set(one.id, await messageFor(compiled, node.message, one))
  }
  return messages
}

async function messageFor(
  compiled: CompiledCache,
  message: string,
  { contact, properties, variables: own }: Named,
): Promise<string> {
  const compilation = await compiled.compile(noticeSource(message))
  if (compilation.outcome === 'faulty') return `(The message cannot be shown: ${compilation.faults[0]?.detail}.)`
  const variables = mergeVariables(contact, {
    ...{ unsubscribeUrl: '', preferencesUrl: '' },
    variables: { event: properties, var: own },
  })
  try {
    const { text } = await renderMail(compilation.template, variables, null)
    return text.trim()
  } catch (error) {
    if (!(error instanceof RenderError)) throw error
    return `(The message cannot be shown: ${error.message}.)`
  }
}
