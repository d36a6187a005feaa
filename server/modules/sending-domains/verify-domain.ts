import type pg from 'pg'
import { inTransaction, queryInScope, type Transaction } from '../../platform/db/transaction.ts'
import { jobKind } from '../../platform/jobs/job-kind.ts'
import { type Diff, recordSystemAudit } from '../audit/record-audit.ts'
import { ownersOf } from '../members/owners-of.ts'
import type { SystemMailer } from '../system-mail/system-mailer.ts'
import { checkDomain, type DomainLookups, type DomainReport } from './check-domain.ts'
import { claimDomain, recordDomainCheck, recordKeyChecks, releaseDomain } from './check-queries.ts'
import { privateKeyRow } from './dkim-key.ts'
import type { KeyBox } from './domain-deps.ts'
import {
  changeKeys,
  type DomainKey,
  domainByIdStatement,
  domainForChange,
  type KeyRow,
  keysForChange,
  keysOfStatement,
} from './queries.ts'
import { auditedDomain, providerOf } from './sending-domain-of.ts'
import { KEY_OVERLAP_DAYS, type SettledKey, settleKeys } from './settle-keys.ts'
import { unverifiedNotice } from './unverified-notice.ts'

/** How long after a check the next one is due. */
export const RECHECK_EVERY_SECONDS = 900

export type CheckDeps = DomainLookups & {
  pool: pg.Pool
  keyBox: Pick<KeyBox, 'renew'>
  mailer: Pick<SystemMailer, 'queue'>
}

/** Asked for many times at once, a domain has at most one check that runs and one that waits. */
export const VERIFY_DOMAIN = jobKind<DomainKey>({
  kind: 'verify_domain',
  queue: 'default',
  groupKey: ({ workspaceId }) => workspaceId,
  singletonKey: ({ workspaceId, id }) => `${workspaceId}/${id}`,
})

/** The job `verify_domain`: checks one domain now. `busy`: another check of it runs. */
export async function verifyDomain(deps: CheckDeps, key: DomainKey): Promise<'done' | 'busy'> {
  const claim = await inTransaction(deps.pool, key.workspaceId, (tx) => claimDomain(tx, key))
  if (claim === 'busy') return 'busy'
  if (claim === 'claimed') await checkClaimed(deps, key)
  return 'done'
}

/** Checks a domain that the caller has claimed, records what it found, and ends the claim whatever happens. */
export async function checkClaimed(deps: CheckDeps, key: DomainKey): Promise<void> {
  try {
    const [[row], keys] = await Promise.all([
      queryInScope(deps.pool, key.workspaceId, domainByIdStatement(key)),
      queryInScope(deps.pool, key.workspaceId, keysOfStatement(key)),
    ])
    if (row === undefined) return
    const report = await checkDomain(deps, { domain: row.domain, provider: providerOf(row), keys })
    await inTransaction(deps.pool, key.workspaceId, (tx) => recordReport(tx, deps, { key, report }))
  } catch (error) {
    await inTransaction(deps.pool, key.workspaceId, (tx) => releaseDomain(tx, key))
    throw error
  }
}

/** Keys that came or went during the check are left out of it: an answer counts for the key it was asked for. */
async function recordReport(
  tx: Transaction,
  deps: Pick<CheckDeps, 'keyBox' | 'mailer'>,
  { key, report }: { key: DomainKey; report: DomainReport },
): Promise<void> {
  const { workspaceId } = key
  const before = await domainForChange(tx, key)
  if (before === undefined) return
  const keys = await keysForChange(tx, key)
  await recordKeyChecks(
    tx,
    workspaceId,
    keys.flatMap(({ id, privateKey }) => {
      const check = report.dkim.get(id)
      if (check === undefined) return []
      const renewedPrivateKey = deps.keyBox.renew(privateKey, privateKeyRow(workspaceId, id))
      return [{ id, check: JSON.stringify(check), checkedAt: check.checkedAt, renewedPrivateKey }]
    }),
  )
  const states = new Map([...report.dkim].map(([id, { state }]) => [id, state]))
  const settled = settleKeys(
    keys.map(({ verifiedAt, ...one }) => ({ ...one, verified: verifiedAt !== null })),
    states,
    Date.now(),
  )
  await changeKeys(tx, workspaceId, { keys: settled, overlapDays: KEY_OVERLAP_DAYS })
  const diff = diffOfKeys(keys, settled)
  await recordDomainCheck(tx, key, {
    spf: JSON.stringify(report.spf),
    dmarc: JSON.stringify(report.dmarc),
    relay: report.relay && JSON.stringify(report.relay),
    returnPath: report.returnPath && JSON.stringify(report.returnPath),
    hasChanged: 'verified' in diff || 'dkimSelector' in diff,
    checkAfterSeconds: RECHECK_EVERY_SECONDS,
  })
  if (Object.keys(diff).length === 0) return
  await recordSystemAudit(tx, workspaceId, { action: 'sending_domain.update', target: auditedDomain(before), diff })
  if (before.verifiedAt === null || !('verified' in diff)) return
  const current = keys.find(({ role }) => role === 'current')
  const detail = report.dkim.get(current?.id ?? '')?.detail ?? ''
  for (const owner of await ownersOf(tx, workspaceId)) {
    await deps.mailer.queue(tx, unverifiedNotice(owner, before, detail))
  }
}

/** Changes that a check has made, as the audit log tells them: nothing, most of the time. */
function diffOfKeys(before: readonly KeyRow[], after: readonly SettledKey[]): Diff {
  const selectors = new Map(before.map(({ id, selector }) => [id, selector]))
  const old = before.find(({ role }) => role === 'current')
  const current = after.find(({ role }) => role === 'current')
  const from = { selector: old?.selector, verified: old?.verifiedAt !== null }
  const to = { selector: selectors.get(current?.id ?? ''), verified: current?.verified === true }
  const gone = after.filter(({ role }) => role === 'gone').map(({ id }) => selectors.get(id))
  return {
    ...(from.verified === to.verified ? {} : { verified: { from: from.verified, to: to.verified } }),
    ...(from.selector === to.selector ? {} : { dkimSelector: { from: from.selector, to: to.selector } }),
    ...(gone.length === 0 ? {} : { retiredSelectors: { from: gone, to: null } }),
  }
}
