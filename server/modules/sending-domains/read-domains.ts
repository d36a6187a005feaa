import type pg from 'pg'
import { notFound } from '../../catalogue/problems.ts'
import { inTransaction, queryInScope, type Transaction } from '../../platform/db/transaction.ts'
import type { PageQuery } from '../../platform/schema/paging.ts'
import type { CheckResult } from './check-domain.ts'
import { dkimRecordOf, dmarcRecordOf, spfRecordOf } from './dns-records.ts'
import {
  type DomainFilter,
  type DomainKey,
  domainByIdStatement,
  domainChecksStatement,
  domainsPageStatement,
  domainsTotalStatement,
  keysOfStatement,
} from './queries.ts'
import type { DomainChecks, SendingDomain } from './schemas.ts'
import { providerOf, sendingDomainOf } from './sending-domain-of.ts'
import { signingKeyOf } from './signing-key.ts'

export async function readDomains(sql: pg.Pool, workspaceId: string, query: PageQuery & DomainFilter) {
  const { page, pageSize, search, verified } = query
  const filter = { search: search?.trim().toLowerCase(), verified }
  const [rows, totals] = await Promise.all([
    queryInScope(sql, workspaceId, domainsPageStatement(workspaceId, filter, { page, pageSize })),
    queryInScope(sql, workspaceId, domainsTotalStatement(workspaceId, filter)),
  ])
  return { items: rows.map(sendingDomainOf), total: Number(totals[0]?.total ?? 0) }
}

/** Throws 404 for a domain that is not in the workspace. */
export async function readDomain(sql: pg.Pool, key: DomainKey): Promise<SendingDomain> {
  const [row] = await queryInScope(sql, key.workspaceId, domainByIdStatement(key))
  if (!row) throw notFound()
  return sendingDomainOf(row)
}

/** Findings of the last check of each of a domain's records, every key included. Throws 404. */
export function readDomainChecks(sql: pg.Pool, key: DomainKey): Promise<DomainChecks> {
  return inTransaction(sql, key.workspaceId, (tx) => domainChecksWithin(tx, key))
}

/** The same as a transaction sees them, with what that has changed itself. */
export async function domainChecksWithin(tx: Transaction, key: DomainKey): Promise<DomainChecks> {
  const [{ rows: domains }, { rows: checks }, { rows: keys }] = await Promise.all([
    tx.query(domainByIdStatement(key)),
    tx.query(domainChecksStatement(key)),
    tx.query(keysOfStatement(key)),
  ])
  const [row] = domains
  if (!row) throw notFound()
  const { domain } = row
  const signing = signingKeyOf(keys)
  return {
    domain,
    dkim: keys.map((one) => ({
      selector: one.selector,
      role: one.role,
      verified: one.verifiedAt !== null,
      signing: one.id === signing?.id,
      retiresAt: one.retiresAt,
      record: dkimRecordOf(domain, one),
      ...shown(one.check),
    })),
    spf: { record: spfRecordOf(domain, providerOf(row)), ...shown(checks[0]?.spf) },
    dmarc: { record: dmarcRecordOf(domain), ...shown(checks[0]?.dmarc) },
    relay: read<DomainChecks['relay']>(checks[0]?.relay),
    returnPath: read<DomainChecks['returnPath']>(checks[0]?.returnPath),
  }
}

function read<T>(check: string | null | undefined): T | null {
  return check ? JSON.parse(check) : null
}

function shown(check: string | null | undefined) {
  if (check === null || check === undefined) {
    return { state: 'unknown' as const, found: [], detail: 'Not checked yet.', checkedAt: null }
  }
  const { state, found, detail, checkedAt } = JSON.parse(check) as CheckResult
  return { state, found: [...found], detail, checkedAt }
}
