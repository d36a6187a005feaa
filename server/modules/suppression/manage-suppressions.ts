import type pg from 'pg'
import { invalid, notFound } from '../../catalogue/problems.ts'
import { inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import { requireMatch } from '../../platform/etag.ts'
import { normaliseEmail } from '../../platform/mail/mail-address.ts'
import type { PageQuery } from '../../platform/schema/paging.ts'
import { diffOf, recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import {
  deleteSuppression,
  insertSuppression,
  suppressionByIdStatement,
  suppressionForChange,
  suppressionsPageStatement,
  suppressionsTotalStatement,
} from './queries.ts'
import type { Suppression, SuppressionBody, SuppressionFilter } from './schemas.ts'
import { isWholeDomain } from './suppression-file.ts'

export type SuppressionDeps = { sql: pg.Pool }

/** A page, ascending by id. An address that is none is an empty list. */
export async function listSuppressions(
  { sql }: SuppressionDeps,
  workspaceId: string,
  { page, pageSize, ...given }: PageQuery & SuppressionFilter,
): Promise<{ items: Suppression[]; total: number }> {
  const { destination } = given
  const filter = destination === undefined ? given : { ...given, destination: normaliseEmail(destination) ?? '' }
  const [items, totals] = await Promise.all([
    queryInScope(sql, workspaceId, suppressionsPageStatement(workspaceId, filter, { page, pageSize })),
    queryInScope(sql, workspaceId, suppressionsTotalStatement(workspaceId, filter)),
  ])
  return { items, total: Number(totals[0]?.total ?? 0) }
}

/** Throws 404. */
export async function readSuppression({ sql }: SuppressionDeps, workspaceId: string, id: string): Promise<Suppression> {
  const [row] = await queryInScope(sql, workspaceId, suppressionByIdStatement(workspaceId, id))
  if (!row) throw notFound()
  return row
}

/** Lists an address; one that is listed stays as it is, and is the answer. Throws 400 for what is no address. */
export async function suppress(deps: SuppressionDeps, caller: Caller, body: SuppressionBody): Promise<Suppression> {
  const destination = normaliseEmail(body.destination)
  if (destination === undefined) throw invalid([{ pointer: '/destination', detail: 'must be an email address' }])
  if (isWholeDomain(destination))
    throw invalid([{ pointer: '/destination', detail: 'must be one address: a whole domain cannot be listed' }])
  return inTransaction(deps.sql, caller.workspaceId, async (tx) => {
    const wanted = { destination, reason: body.reason ?? 'manual' }
    const { row, isNew } = await insertSuppression(tx, caller.workspaceId, wanted)
    if (isNew) {
      await recordAudit(tx, caller, {
        action: 'suppression.create',
        target: audited(row),
        diff: diffOf(undefined, logged(row), HIDDEN),
      })
    }
    return row
  })
}

/**
 * Takes an address off the list: from then on it is mailed again, and listed again when it bounces or complains. Throws
 * 404, and 412 when `ifMatch` names another state.
 */
export async function liftSuppression(
  deps: SuppressionDeps,
  caller: Caller,
  { id, ifMatch }: { id: string; ifMatch: string | undefined },
): Promise<void> {
  const { workspaceId } = caller
  await inTransaction(deps.sql, workspaceId, async (tx) => {
    const row = await suppressionForChange(tx, workspaceId, id)
    if (!row) throw notFound()
    requireMatch(ifMatch, row)
    await deleteSuppression(tx, workspaceId, id)
    await recordAudit(tx, caller, {
      action: 'suppression.delete',
      target: audited(row),
      diff: diffOf(logged(row), undefined, HIDDEN),
    })
  })
}

const HIDDEN = { hidden: ['destination', 'detail'] }

function logged({ destination, reason, detail }: Suppression) {
  return { destination, reason, detail }
}

/** Without the address, which is personal: the id leads to it. */
function audited({ id }: Suppression) {
  return { type: 'suppression', id, name: null }
}
