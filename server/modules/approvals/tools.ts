import { Type } from 'typebox'
import { closed, oneOf } from '../../platform/schema/schemas.ts'
import { defineTool, IdInput, MaybeText, Text, type Tool } from '../tool.ts'
import { ACT_KINDS, type Approval } from './schemas.ts'

const Asked = Type.Object({
  ...{ approvalId: Text, status: Text, act: Text, approvalUrl: Text, budgetReason: MaybeText },
  recipientsCount: Type.Integer(),
  ...{ scheduledAt: MaybeText, expiresAt: Text, decidedAt: MaybeText },
})

/** Asking a person to have mail go out, for agents. No tool decides. */
export function approvalTools(appUrl: URL): readonly Tool[] {
  const shown = ({ id, status, ...approval }: Approval, slug: string) => ({
    ...approval,
    approvalId: id,
    status: status === 'waiting' ? 'waiting-for-approval' : status,
    approvalUrl: new URL(`app/${slug}/approvals/${id}`, appUrl).href,
  })
  return [
    defineTool({
      name: 'send_request',
      title: 'Ask to send',
      toolset: 'sending',
      needs: ['mcp:send'],
      effect: 'makes',
      description:
        'Asks people of the workspace to send a broadcast draft, activate an automation, or mail a template to one contact. Give approvalUrl to your person: they decide there, unless it was within your budget (status approved). What you change afterwards has to be asked for anew.',
      input: closed({
        act: oneOf(ACT_KINDS),
        ...{ broadcastId: Type.Optional(IdInput), automationId: Type.Optional(IdInput) },
        ...{ templateId: Type.Optional(IdInput), contactId: Type.Optional(IdInput) },
        at: Type.Optional(Type.String({ maxLength: 40, description: 'RFC 3339' })),
        note: Type.Optional(Type.String({ maxLength: 2_000 })),
      }),
      output: Asked,
      async run(call, body) {
        const { workspace } = await call('GET /api/auth/me')
        return shown(await call('POST /api/approvals', { body }), workspace.slug)
      },
    }),
    defineTool({
      name: 'send_status',
      title: 'See what became of a request',
      toolset: 'sending',
      needs: ['approvals:read'],
      effect: 'reads',
      description:
        'Whether a send_request was approved, rejected, or has expired. How it goes then says broadcast_report.',
      input: closed({ approvalId: IdInput }),
      output: Asked,
      async run(call, { approvalId }) {
        const { workspace } = await call('GET /api/auth/me')
        return shown(await call(`GET /api/approvals/${approvalId}`), workspace.slug)
      },
    }),
  ]
}
