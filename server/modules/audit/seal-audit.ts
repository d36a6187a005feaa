import type pg from 'pg'
import type { SecretKeys } from '../../platform/crypto/secret-box.ts'
import { boundedStep, StepSize } from '../../platform/db/bounded-step.ts'
import { ALL_WORKSPACES, queryInScope, type Transaction } from '../../platform/db/transaction.ts'
import { chainForChange, judgeChain, markChain } from './chain-mac.ts'

export type ChainDeps = { sql: pg.Pool; keys: SecretKeys }

const SEALED_AT_ONCE = 1_000

/**
 * The job `seal_audit`: seals every entry committed so far, in each workspace that has new ones, and marks chains anew
 * whose mark is of a key before the last rotation.
 */
export async function sealAudit(deps: ChainDeps): Promise<number> {
  const workspaces = await queryInScope<{ id: string }>(deps.sql, ALL_WORKSPACES, {
    text: `select id from workspaces w
           where exists (select from audit_entries e where e.workspace_id = w.id and e.seal is null)
             or exists (select from audit_chains c where c.workspace_id = w.id and c.mac not like $1)
           order by id`,
    values: [`${deps.keys.current}.%`],
  })
  return eachChain(workspaces, async ({ id }) => {
    const size = new StepSize(SEALED_AT_ONCE)
    const change = (tx: Transaction, { rows }: ChainStep) => sealSome(tx, id, rows)
    let total = 0
    for (let sealed = 1; sealed > 0; total += sealed) sealed = await inChain(deps, id, { size, change })
    return total
  })
}

/** The sum over all workspaces. A log that cannot be worked on holds up no other; its error is thrown in the end. */
export async function eachChain<W>(workspaces: readonly W[], work: (workspace: W) => Promise<number>): Promise<number> {
  const errors: unknown[] = []
  let total = 0
  for (const workspace of workspaces) {
    total += await work(workspace).catch((error: unknown) => {
      errors.push(error)
      return 0
    })
  }
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} audit logs could not be worked on`)
  return total
}

/** Whether the chain was right before, and how many entries may change. */
export type ChainStep = { isRight: boolean; rows: number }

/**
 * Changes a chain in a transaction of bounded time and marks it, if it was marked right before. One that somebody else has changed keeps
 * its wrong mark, so that what is added since does not make it right.
 */
export async function inChain(
  { sql, keys }: ChainDeps,
  workspaceId: string,
  { size, change }: { size: StepSize; change: (tx: Transaction, step: ChainStep) => Promise<number> },
): Promise<number> {
  const work = async (tx: Transaction, rows: number) => {
    const isRight = judgeChain(await chainForChange(tx, workspaceId), keys) === 'right'
    const changed = await change(tx, { isRight, rows })
    if (isRight) await markChain(tx, workspaceId, keys)
    return changed
  }
  return boundedStep(sql, workspaceId, { size, work })
}

/** Short transactions, at 5,500 entries a second measured: whoever adds entries meanwhile never waits. */
async function sealSome(tx: Transaction, workspaceId: string, rowsMax: number): Promise<number> {
  const { rows } = await tx.query<{ sealed: number }>('select seal_audit_entries($1, $2) as sealed', [
    workspaceId,
    rowsMax,
  ])
  return rows[0]?.sealed ?? 0
}
