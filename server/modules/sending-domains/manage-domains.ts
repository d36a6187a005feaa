import { conflict, notFound, unprocessable } from '../../catalogue/problems.ts'
import { brokenConstraint } from '../../platform/db/errors.ts'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { requireMatch } from '../../platform/etag.ts'
import { judgeDomain, type NameJudgement } from '../../platform/net/domain-name.ts'
import { type AuditOrigin, type Diff, recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { type DkimKey, makeDkimKey, privateKeyRow } from './dkim-key.ts'
import { judgeSelector } from './dkim-selector.ts'
import type { DomainDeps, KeyBox } from './domain-deps.ts'
import {
  type DomainRow,
  deleteDomainRow,
  domainForChange,
  domainsTotalStatement,
  insertDomain,
  type NewKey,
  newKeyId,
} from './queries.ts'
import type { DomainBody, SendingDomain } from './schemas.ts'
import { auditedDomain, sendingDomainOf } from './sending-domain-of.ts'
import { RECHECK_EVERY_SECONDS } from './verify-domain.ts'

export const SELECTOR_DEFAULT = 'postroom'
/** Each costs a key and a check every quarter of an hour. Many made at once may go a few beyond. */
const DOMAINS_MAX = 1_000

/** Creates a domain with a key pair of its own, unverified. Throws 422 naming what is no domain or selector, 409. */
export async function createDomain(deps: DomainDeps, caller: Caller, body: DomainBody): Promise<SendingDomain> {
  const domain = required('/domain', judgeDomain(body.domain))
  const selector = required('/dkimSelector', judgeSelector(body.dkimSelector ?? SELECTOR_DEFAULT, domain))
  const { workspaceId } = caller
  const pair = await makeDkimKey()
  return inTransaction(deps.sql, workspaceId, async (tx) => {
    const { rows: totals } = await tx.query(domainsTotalStatement(workspaceId, {}))
    if (Number(totals[0]?.total) >= DOMAINS_MAX) {
      throw unprocessable([{ pointer: '', detail: `a workspace may have ${DOMAINS_MAX} sending domains` }])
    }
    return sendingDomainOf(await storeDomain(tx, { keyBox: deps.keyBox, caller }, { domain, selector, pair }))
  }).catch((error: unknown) => {
    if (brokenConstraint(error) === 'sending_domains_domain_taken') throw conflict('domain', 'is already there')
    throw error
  })
}

/** Stores a domain with its first key, unverified, and records it. Names are judged before. */
export async function storeDomain(
  tx: Transaction,
  { keyBox, caller }: { keyBox: Pick<KeyBox, 'seal'>; caller: AuditOrigin },
  { domain, selector, pair }: { domain: string; selector: string; pair: DkimKey },
): Promise<DomainRow> {
  const { workspaceId } = caller
  const key = await sealedKey(tx, keyBox, { workspaceId, selector, pair })
  const row = await insertDomain(tx, { workspaceId, domain, key, checkAfterSeconds: RECHECK_EVERY_SECONDS })
  await recordDomainAudit(tx, caller, row, {
    action: 'create',
    diff: { domain: { from: null, to: domain }, dkimSelector: { from: null, to: selector } },
  })
  return row
}

/** Asks for a check in the background; many calls at once make at most one that runs and one that waits. Throws 404. */
export async function askVerification(deps: DomainDeps, caller: Caller, id: string): Promise<SendingDomain> {
  const key = { workspaceId: caller.workspaceId, id }
  return inTransaction(deps.sql, key.workspaceId, async (tx) => {
    const row = await domainForChange(tx, key)
    if (!row) throw notFound()
    await deps.enqueueCheck(tx, key)
    await recordDomainAudit(tx, caller, row, { action: 'verify' })
    return sendingDomainOf(row)
  })
}

/** Deletes a domain with its keys. Throws 404, and 412 when `ifMatch` names an older state. */
export async function deleteDomain(
  deps: Pick<DomainDeps, 'sql'>,
  caller: Caller,
  input: { id: string; ifMatch: string | undefined },
): Promise<void> {
  const key = { workspaceId: caller.workspaceId, id: input.id }
  await inTransaction(deps.sql, key.workspaceId, async (tx) => {
    const row = await domainForChange(tx, key)
    if (!row) throw notFound()
    requireMatch(input.ifMatch, sendingDomainOf(row))
    await deleteDomainRow(tx, key)
    await recordDomainAudit(tx, caller, row, {
      action: 'delete',
      diff: { domain: { from: row.domain, to: null }, dkimSelector: { from: row.dkimSelector, to: null } },
    })
  })
}

/** The name, or a 422 that says what is wrong with the field. */
export function required(pointer: string, judgement: NameJudgement): string {
  if ('fault' in judgement) throw unprocessable([{ pointer, detail: judgement.fault }])
  return judgement.name
}

/** A new pair as its row: an id drawn for it, the private key sealed to that row. */
export async function sealedKey(
  tx: Transaction,
  keyBox: Pick<KeyBox, 'seal'>,
  { workspaceId, selector, pair }: { workspaceId: string; selector: string; pair: DkimKey },
): Promise<NewKey> {
  const id = await newKeyId(tx)
  return {
    id,
    selector,
    publicKey: pair.publicKey,
    privateKey: keyBox.seal(pair.privateKey, privateKeyRow(workspaceId, id)),
  }
}

type Verb = 'create' | 'update' | 'delete' | 'verify' | 'rotate_key'

export async function recordDomainAudit(
  tx: Transaction,
  caller: AuditOrigin,
  row: DomainRow,
  { action, diff }: { action: Verb; diff?: Diff },
): Promise<void> {
  const entry = { action: `sending_domain.${action}`, target: auditedDomain(row), ...(diff ? { diff } : {}) }
  await recordAudit(tx, caller, entry)
}
