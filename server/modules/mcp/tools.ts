import { Type } from 'typebox'
import type { Scope } from '../../catalogue/scopes.ts'
import { closed } from '../../platform/schema/schemas.ts'
import { type CallOperation, defineTool, Text, type Tool } from '../tool.ts'

const MaybeCount = Type.Unsafe<number | null>({ type: ['integer', 'null'] })
/** How far send_request goes without a person, and what is left of that until tomorrow. */
const SendPolicy = Type.Object({ mode: Text, sendsLeft: MaybeCount, recipientsLeft: MaybeCount })
const Domains = Type.Array(Type.Object({ domain: Text, verified: Type.Boolean() }))

/** The first thing an agent asks. `others`: every other tool there is. */
export function overviewTool(others: readonly Tool[]): Tool {
  return defineTool({
    name: 'workspace_overview',
    title: 'Workspace overview',
    toolset: 'overview',
    needs: [],
    effect: 'reads',
    description:
      'Where you are: workspace, token and its scopes, tools it lacks scopes for, people, sending domains, what keeps mail from going out. Begin here.',
    input: closed({}),
    output: Type.Object({
      workspace: Type.Object({ id: Text, slug: Text, name: Text }),
      token: Type.Object({
        name: Text,
        scopes: Type.Array(Text),
        expiresAt: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
      }),
      lacking: Type.Array(Type.Object({ tool: Text, scopes: Type.Array(Text) })),
      contacts: Type.Optional(Type.Integer()),
      sendingDomains: Type.Optional(Domains),
      sendPolicy: Type.Optional(SendPolicy),
      blocks: Type.Array(Text),
    }),
    async run(call) {
      const { workspace, name, scopes, expiresAt } = await call('GET /api/auth/me')
      const has = new Set<Scope>(scopes)
      const lacking = others
        .map((tool) => ({ tool: tool.name, scopes: tool.needs.filter((scope) => !has.has(scope)) }))
        .filter((tool) => tool.scopes.length > 0)
      const [contacts, sendingDomains, sendPolicy] = await Promise.all([
        has.has('contacts:read') ? contactsTotal(call) : undefined,
        has.has('sending_domains:read') ? domainsOf(call) : undefined,
        has.has('approvals:read') ? policyOf(call) : undefined,
      ])
      const canSend = sendingDomains?.some((domain) => domain.verified) ?? true
      return {
        ...{ workspace, token: { name, scopes, expiresAt }, lacking },
        ...(contacts === undefined ? {} : { contacts }),
        ...(sendingDomains === undefined ? {} : { sendingDomains }),
        ...(sendPolicy === undefined ? {} : { sendPolicy }),
        blocks: [...(canSend ? [] : ['No sending domain is verified: mail from it cannot be signed.'])],
      }
    },
  })
}

async function policyOf(call: CallOperation) {
  const { mode, budget, spent } = await call('GET /api/approvals/policy')
  return {
    mode,
    sendsLeft: budget && Math.max(0, budget.sendsPerDay - spent.sends),
    recipientsLeft: budget && Math.max(0, budget.recipientsPerDay - spent.recipients),
  }
}

async function contactsTotal(call: CallOperation): Promise<number> {
  return (await call('GET /api/contacts', { query: { pageSize: 1 } })).totalItems
}

const DOMAINS_SHOWN_MAX = 20

async function domainsOf(call: CallOperation): Promise<{ domain: string; verified: boolean }[]> {
  const { items } = await call('GET /api/sending-domains', { query: { pageSize: DOMAINS_SHOWN_MAX } })
  return items.map(({ domain, verified }: { domain: string; verified: boolean }) => ({ domain, verified }))
}
