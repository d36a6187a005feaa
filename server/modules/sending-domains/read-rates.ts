import type pg from 'pg'
import type { Statement } from '../../platform/db/statement.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import { type PageQuery, rowsBefore } from '../../platform/schema/paging.ts'
import { domainsTotalStatement } from './queries.ts'
import type { DomainRates } from './schemas.ts'

/** `failed`: refused at once by those who receive; it is among the bounced. */
type RatesRow = Record<'id' | 'domain' | 'accepted' | 'failed' | 'bounced' | 'complained', string>

/**
 * Shares of each domain's mail of the last days: what came back, at once or later, of all that receivers took or refused, and what was
 * reported as spam of what they took.
 */
export async function readRates(
  sql: pg.Pool,
  workspaceId: string,
  { windowDays, ...page }: PageQuery & { windowDays: number },
): Promise<{ items: DomainRates[]; total: number }> {
  const [rows, totals] = await Promise.all([
    queryInScope(sql, workspaceId, ratesStatement(workspaceId, windowDays, page)),
    queryInScope(sql, workspaceId, domainsTotalStatement(workspaceId, {})),
  ])
  const items = rows.map(({ id, domain, ...row }) => ({
    sendingDomainId: id,
    domain,
    windowDays,
    complaintRate: rateOf(row.complained, row.accepted),
    bounceRate: rateOf(row.bounced, BigInt(row.accepted) + BigInt(row.failed)),
  }))
  return { items, total: Number(totals[0]?.total ?? 0) }
}

/** Without mail there is no rate. */
function rateOf(numerator: string, denominator: string | bigint) {
  const [of, all] = [Number(numerator), Number(denominator)]
  return { numerator: of, denominator: all, rate: all === 0 ? null : of / all }
}

/** Read by the key of the hours that are kept, domain by domain of the page: a quarter of one is some six thousand rows. */
function ratesStatement(workspaceId: string, windowDays: number, page: PageQuery): Statement<RatesRow> {
  const sumOf = (kind: string) => `coalesce(sum(t.total) filter (where t.kind = '${kind}'), 0)::bigint as ${kind}`
  return {
    name: 'sending_domain_rates',
    text: `select d.id, d.domain, ${['accepted', 'failed', 'bounced', 'complained'].map(sumOf).join(', ')}
      from (select * from sending_domains where workspace_id = $1 order by id limit $3 offset $4) d
      left join message_hours t on t.workspace_id = d.workspace_id and t.about = 'domain ' || d.domain
        and t.hour >= date_trunc('hour', now() - make_interval(days => $2), 'UTC')
      group by d.id, d.domain order by d.id`,
    values: [workspaceId, windowDays, page.pageSize, rowsBefore(page)],
  }
}
