import type pg from 'pg'
import { invalid, notFound, unprocessable } from '../../catalogue/problems.ts'
import { inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import { requireMatch } from '../../platform/etag.ts'
import { normaliseEmail } from '../../platform/mail/mail-address.ts'
import type { PageQuery } from '../../platform/schema/paging.ts'
import { diffOf, recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { holdForConsentByEmail } from '../consents/hold-for-consent.ts'
import {
  isSource,
  unsubscribeByIdStatement,
  unsubscribeForChange,
  unsubscribesPageStatement,
  unsubscribesTotalStatement,
} from './queries.ts'
import type { Unsubscribe, UnsubscribeBody } from './schemas.ts'
import { resubscribe, unsubscribe } from './unsubscribe.ts'

export type UnsubscribeDeps = {
  sql: pg.Pool
}

/** A page, ascending by id. An address that is none is an empty list. */
export async function listUnsubscribes(
  { sql }: Pick<UnsubscribeDeps, 'sql'>,
  workspaceId: string,
  { destination, ...page }: PageQuery & { destination?: string },
): Promise<{ items: Unsubscribe[]; total: number }> {
  const address = destination === undefined ? undefined : (normaliseEmail(destination) ?? '')
  const [items, totals] = await Promise.all([
    queryInScope(sql, workspaceId, unsubscribesPageStatement(workspaceId, address, page)),
    queryInScope(sql, workspaceId, unsubscribesTotalStatement(workspaceId, address)),
  ])
  return { items, total: Number(totals[0]?.total ?? 0) }
}

/** Unsubscribes an address at the workspace's word; one that is stays as it is, and is the answer. Throws 400 for what is no address, 422 for an automation or a topic that there is not. */
export async function createUnsubscribe(
  deps: UnsubscribeDeps,
  caller: Caller,
  body: UnsubscribeBody,
): Promise<Unsubscribe> {
  const destination = normaliseEmail(body.destination)
  if (destination === undefined) throw invalid([{ pointer: '/destination', detail: 'must be an email address' }])
  const wish = { destination, sendingSource: body.sendingSource ?? 'broadcasts', messageId: null }
  return inTransaction(deps.sql, caller.workspaceId, async (tx) => {
    if (!(await isSource(tx, caller.workspaceId, wish.sendingSource))) {
      throw unprocessable([{ pointer: '/sendingSource', detail: 'is not of this workspace' }])
    }
    const { row, isNew } = await unsubscribe(tx, caller.workspaceId, { ...wish, byWhom: 'workspace', ip: null })
    if (isNew) {
      const diff = diffOf(undefined, logged(row), HIDDEN)
      await recordAudit(tx, caller, { action: 'unsubscribe.create', target: audited(row), diff })
    }
    return row
  })
}

/** Takes an unsubscribe back: from then on the address is mailed again. Throws 404, and 412 when `ifMatch` names another state. */
export async function deleteUnsubscribe(
  deps: Pick<UnsubscribeDeps, 'sql'>,
  caller: Caller,
  { id, ifMatch }: { id: string; ifMatch: string | undefined },
): Promise<void> {
  const { workspaceId } = caller
  await inTransaction(deps.sql, workspaceId, async (tx) => {
    // Its person before the row, as all others do who say something of both.
    const { rows } = await tx.query(unsubscribeByIdStatement(workspaceId, id))
    if (rows[0]) await holdForConsentByEmail(tx, workspaceId, rows[0].destination)
    const row = await unsubscribeForChange(tx, workspaceId, id)
    if (!row) throw notFound()
    requireMatch(ifMatch, row)
    const { destination, sendingSource } = row
    const who = { byWhom: 'workspace', ip: null, messageId: null } as const
    await resubscribe(tx, workspaceId, { destination, sources: [sendingSource], ...who })
    const diff = diffOf(logged(row), undefined, HIDDEN)
    await recordAudit(tx, caller, { action: 'unsubscribe.delete', target: audited(row), diff })
  })
}

const HIDDEN = { hidden: ['destination'] }

function logged({ destination, sendingSource }: Unsubscribe) {
  return { destination, sendingSource }
}

/** Without the address, which is personal: the id leads to it. */
function audited({ id }: Unsubscribe) {
  return { type: 'unsubscribe', id, name: null }
}
