import type pg from 'pg'
import { missingPermission, wrongStatus } from '../../catalogue/problems.ts'
import { ALL_WORKSPACES, inTransaction } from '../../platform/db/transaction.ts'
import { readInstallation } from '../../platform/epoch/installation.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import { jobKind } from '../../platform/jobs/job-kind.ts'
import { membershipsOf } from '../auth/people.ts'
import { recordConfirmation } from './confirm-restored.ts'
import { type Doer, FIRST_WORKSPACE } from './record-installation-act.ts'
import type { Restoration, RestorationConfirmation } from './schemas.ts'

export type RestorationDeps = { sql: pg.Pool; isCopy: boolean }

export const CONFIRM_RESTORED = jobKind<{ heldSince: string; sendsQueued: boolean }>({
  kind: 'confirm_restored',
  queue: 'default',
  singletonKey: ({ heldSince }) => heldSince,
})

export async function readRestoration({ sql, isCopy }: RestorationDeps, userId: string): Promise<Restoration> {
  const [{ held }, mayConfirm] = await Promise.all([readInstallation(sql), isOperator(sql, userId)])
  return { held: held !== null, heldSince: held?.since ?? null, reason: held?.reason ?? null, isCopy, mayConfirm }
}

/** Has the installation go on once what was queued is out of the way. Throws 403, and 409 when it is not held since then. */
export async function askToConfirm(
  { sql, isCopy }: RestorationDeps,
  { heldSince, sendQueued = false }: RestorationConfirmation,
  { by, userId }: Doer,
): Promise<void> {
  await requireOperator(sql, userId)
  if (isCopy) throw wrongStatus('It runs as a copy, which sends nothing.')
  await inTransaction(sql, ALL_WORKSPACES, async (tx) => {
    const { held } = await readInstallation(tx)
    if (held === null || Date.parse(held.since) !== Date.parse(heldSince))
      throw wrongStatus('It is not held since then: look again.')
    await recordConfirmation(tx, held, { sendsQueued: sendQueued, by })
    await enqueue(tx, CONFIRM_RESTORED, { heldSince: held.since, sendsQueued: sendQueued })
  })
}

/** Throws 403 for whoever does not run the installation. */
export async function requireOperator(sql: pg.Pool, userId: string): Promise<void> {
  if (!(await isOperator(sql, userId))) throw missingPermission('workspace:write')
}

/** Whether somebody runs the installation: an owner of its first workspace. */
async function isOperator(sql: pg.Pool, userId: string): Promise<boolean> {
  const memberships = await membershipsOf(sql, userId)
  return memberships.some(({ id, role }) => id === FIRST_WORKSPACE && role === 'owner')
}
