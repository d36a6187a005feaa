import { Type } from 'typebox'
import { DAY_MS } from '../../platform/durations.ts'
import { closed } from '../../platform/schema/schemas.ts'
import { defineTool, Text, type Tool } from '../tool.ts'

const DOMAINS_MAX = 50
const WINDOW_DAYS = 30
const WINDOW_MS = WINDOW_DAYS * DAY_MS
const Rate = Type.Unsafe<number | null>({ type: ['number', 'null'] })
const Totals = Type.Unsafe<Record<string, number>>({ type: 'object', additionalProperties: { type: 'number' } })

/** How mail fares, for agents. */
export const sendingDomainTools: readonly Tool[] = [
  defineTool({
    name: 'deliverability_report',
    title: 'Report on deliverability',
    toolset: 'insight',
    needs: ['sending_domains:read', 'broadcasts:read'],
    effect: 'reads',
    description: `The last ${WINDOW_DAYS} days: totals of all mail, and each sending domain with bounce and complaint rates (keep complaints below 0.001).`,
    input: closed({}),
    output: Type.Object({
      totals: Totals,
      before: Totals,
      domains: Type.Array(
        Type.Object({ id: Text, domain: Text, verified: Type.Boolean(), bounceRate: Rate, complaintRate: Rate }),
      ),
    }),
    async run(call) {
      const page = { pageSize: DOMAINS_MAX }
      const from = new Date(Date.now() - WINDOW_MS).toISOString()
      const [overview, domains, rates] = await Promise.all([
        call('GET /api/overview', { query: { from } }),
        call('GET /api/sending-domains', { query: page }),
        call('GET /api/sending-domains/rates', { query: { ...page, windowDays: WINDOW_DAYS } }),
      ])
      const rateOf = new Map<string, RateItem>(rates.items.map((item: RateItem) => [item.sendingDomainId, item]))
      return {
        totals: overview.totals,
        before: overview.before,
        domains: domains.items.map(({ id, domain, verified }: DomainItem) => ({
          ...{ id, domain, verified },
          bounceRate: rateOf.get(id)?.bounceRate.rate ?? null,
          complaintRate: rateOf.get(id)?.complaintRate.rate ?? null,
        })),
      }
    },
  }),
]

type DomainItem = { id: string; domain: string; verified: boolean }
type RateItem = { sendingDomainId: string } & Record<'bounceRate' | 'complaintRate', { rate: number | null }>
