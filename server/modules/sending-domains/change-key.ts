import { notFound } from '../../catalogue/problems.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { requireMatch } from '../../platform/etag.ts'
import type { Caller } from '../auth/caller.ts'
import { makeDkimKey } from './dkim-key.ts'
import { judgeSelector, nextSelector } from './dkim-selector.ts'
import type { DomainDeps } from './domain-deps.ts'
import { recordDomainAudit, required, sealedKey } from './manage-domains.ts'
import {
  changeKeys,
  domainForChange,
  insertKey,
  type KeyChange,
  type KeyRow,
  keysForChange,
  touchDomain,
} from './queries.ts'
import { domainChecksWithin, readDomain, readDomainChecks } from './read-domains.ts'
import type { DomainChange, DomainChecks, SendingDomain } from './schemas.ts'
import { sendingDomainOf } from './sending-domain-of.ts'
import { KEY_OVERLAP_DAYS } from './settle-keys.ts'

/**
 * Gives the domain another selector, and with it another key: unverified until its record is found, while the key before
 * it goes on signing as long as it is published. The selector of a key that is still there takes that key back. Ends a
 * rotation under way. Throws 404, 422 for what is no selector, 412 when `ifMatch` names an older state.
 */
export async function updateDomain(
  deps: DomainDeps,
  caller: Caller,
  input: { id: string; change: DomainChange; ifMatch: string | undefined },
): Promise<SendingDomain> {
  const key = { workspaceId: caller.workspaceId, id: input.id }
  const { domain, dkimSelector } = await readDomain(deps.sql, key)
  const wanted = input.change.dkimSelector ?? dkimSelector
  const selector = required('/dkimSelector', judgeSelector(wanted, domain))
  // Made ahead, because it takes long; thrown away in the rare case that it is not needed after all.
  const pair = selector === dkimSelector ? undefined : await makeDkimKey()
  const changed = await inTransaction(deps.sql, key.workspaceId, async (tx) => {
    const before = await domainForChange(tx, key)
    if (!before) throw notFound()
    requireMatch(input.ifMatch, sendingDomainOf(before))
    if (before.dkimSelector === selector || input.change.dkimSelector === undefined) return sendingDomainOf(before)
    const keys = await keysForChange(tx, key)
    const existing = keys.find((one) => one.selector === selector)
    // Somebody gave it another one since it was read, when it had the one that is wanted.
    if (existing === undefined && pair === undefined) return undefined
    const changes = keys.flatMap((one) => replaced(one, existing))
    await changeKeys(tx, key.workspaceId, { keys: changes, overlapDays: KEY_OVERLAP_DAYS })
    if (existing === undefined && pair !== undefined) {
      const made = await sealedKey(tx, deps.keyBox, { workspaceId: key.workspaceId, selector, pair })
      await insertKey(tx, key, { ...made, role: 'current' })
    }
    await touchDomain(tx, key)
    await recordDomainAudit(tx, caller, before, {
      action: 'update',
      diff: { dkimSelector: { from: before.dkimSelector, to: selector }, dkimKey: 'changed' },
    })
    const after = await domainForChange(tx, key)
    if (!after) throw notFound()
    return sendingDomainOf(after)
  })
  return changed ?? updateDomain(deps, caller, input)
}

/** Changes to a key when another one is made the current one at a caller's wish. */
function replaced(one: KeyRow, successor: KeyRow | undefined): KeyChange[] {
  const change = { id: one.id, verified: one.verifiedAt !== null, retires: false }
  if (one.id === successor?.id) return [{ ...change, role: 'current' }]
  if (one.role === 'retiring') return []
  return [{ ...change, role: one.role === 'current' && change.verified ? 'retiring' : 'gone' }]
}

/**
 * Begins a rotation: a second key under a selector of its own, to be published beside the current one, which takes over
 * once it is verified. While one is under way it changes nothing. Throws 404.
 */
export async function rotateKey(deps: DomainDeps, caller: Caller, id: string): Promise<DomainChecks> {
  const key = { workspaceId: caller.workspaceId, id }
  const checks = await readDomainChecks(deps.sql, key)
  if (checks.dkim.some(({ role }) => role === 'next')) return checks
  const pair = await makeDkimKey()
  return inTransaction(deps.sql, key.workspaceId, async (tx) => {
    const row = await domainForChange(tx, key)
    if (!row) throw notFound()
    const keys = await keysForChange(tx, key)
    if (!keys.some(({ role }) => role === 'next')) {
      const taken = new Set(keys.map((one) => one.selector))
      const selector = required('/dkimSelector', judgeSelector(nextSelector(row.dkimSelector, taken), row.domain))
      const made = await sealedKey(tx, deps.keyBox, { workspaceId: key.workspaceId, selector, pair })
      await insertKey(tx, key, { ...made, role: 'next' })
      await recordDomainAudit(tx, caller, row, {
        action: 'rotate_key',
        diff: { nextSelector: { from: null, to: selector }, dkimKey: 'changed' },
      })
    }
    return domainChecksWithin(tx, key)
  })
}
