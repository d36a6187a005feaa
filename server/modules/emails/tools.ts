import { Type } from 'typebox'
import { closed } from '../../platform/schema/schemas.ts'
import { untrustedObject } from '../../platform/untrusted-text.ts'
import { type CallOperation, defineTool, IdInput, MaybeText, Text, type Tool, Untrusted } from '../tool.ts'

const MESSAGES_SHOWN_MAX = 10
const MessageLine = Type.Object({
  ...{ id: Text, status: Text, reason: MaybeText, purpose: Text, surface: Text },
  ...{ broadcastId: MaybeText, automationId: MaybeText, templateId: MaybeText, createdAt: Text },
})

/** The fate of messages, for agents. */
export const emailTools: readonly Tool[] = [
  defineTool({
    name: 'message_explain',
    title: 'Explain a message',
    toolset: 'insight',
    needs: ['contacts:read'],
    effect: 'reads',
    description:
      'Why somebody did or did not get a mail: of one message, or the newest of a contact, whose last ten are listed.',
    input: closed({ messageId: Type.Optional(IdInput), contactId: Type.Optional(IdInput) }),
    output: Type.Object({ messages: Type.Array(MessageLine), state: MaybeText, rule: MaybeText, untrusted: Untrusted }),
    async run(call, { messageId, contactId }) {
      const messages = contactId === undefined ? [] : await messagesTo(call, contactId)
      const id = messageId ?? messages[0]?.id
      if (id === undefined) return { messages, state: null, rule: null, untrusted: {} }
      const { state, rule, summary, findings } = await call(`GET /api/messages/${id}/explain`)
      // Findings name the address and what servers said of it.
      return { messages, state, rule, untrusted: untrustedObject({ summary, findings }) }
    },
  }),
]

async function messagesTo(call: CallOperation, contactId: string) {
  const { email } = await call(`GET /api/contacts/${contactId}`)
  if (email === null) return []
  const query = { destination: email, limit: MESSAGES_SHOWN_MAX }
  return (await call('GET /api/messages', { query })).items
}
