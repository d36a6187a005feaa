import type pg from 'pg'
import { textArray } from '../../platform/db/arrays.ts'
import { ALL_WORKSPACES, inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import { DAY_MS, DAY_SECONDS } from '../../platform/durations.ts'
import { type Owner, ownersOf } from '../members/owners-of.ts'
import type { SystemMailer } from '../system-mail/system-mailer.ts'
import { ARRIVALS, ATTACK_MIN, isUnderAttack, recentFromMs } from './form-rate.ts'
import { contentOf } from './manage-forms.ts'

/** Forms that are read at once. */
const PAGE_SIZE = 100
/** A look goes on for this long; the next one comes soon after. */
const LOOK_MS = 120_000

export type TellDeps = { pool: pg.Pool; mailer: Pick<SystemMailer, 'queue'>; now: () => number; pageSize?: number }
type Crowded = { workspaceId: string; formId: string }

/**
 * Tells the owners of forms that are filled in much more than usual, of each once a day. It looks at all that much comes by: those that
 * much comes by every day are no reason not to see the others.
 */
export async function tellAttacked(deps: TellDeps, shouldStop: () => boolean = () => false): Promise<void> {
  const { pageSize = PAGE_SIZE } = deps
  const nowMs = deps.now()
  const untilMs = performance.now() + LOOK_MS
  let after: Crowded = { workspaceId: '0', formId: '0' }
  for (;;) {
    const crowded = await crowdedAfter(deps, { after, nowMs, pageSize })
    for (const form of crowded) {
      if (shouldStop() || performance.now() > untilMs) return
      await tellIfAttacked(deps, form, nowMs)
    }
    if (crowded.length < pageSize) return
    after = crowded.at(-1)!
  }
}

type Page = { after: Crowded; nowMs: number; pageSize: number }

function crowdedAfter({ pool }: TellDeps, { after, nowMs, pageSize }: Page): Promise<Crowded[]> {
  return queryInScope<Crowded>(pool, ALL_WORKSPACES, {
    name: 'crowded_forms',
    text: `select f.workspace_id as "workspaceId", f.id as "formId" from forms f cross join lateral (
        select sum(total) as recent from form_hours h
        where h.workspace_id = f.workspace_id and h.form_id = f.id and h.hour >= $1 and h.outcome = any ($2::text[])) h
      where f.deleted_at is null and (f.attack_told_at is null or f.attack_told_at <= $3) and h.recent > ${ATTACK_MIN}
        and (f.workspace_id, f.id) > ($5, $6)
      order by f.workspace_id, f.id limit $4`,
    values: [
      new Date(recentFromMs(nowMs)).toISOString(),
      textArray(ARRIVALS),
      new Date(nowMs - DAY_MS).toISOString(),
      ...[pageSize, after.workspaceId, after.formId],
    ],
  })
}

function tellIfAttacked({ pool, mailer }: TellDeps, { workspaceId, formId }: Crowded, nowMs: number): Promise<void> {
  return inTransaction(pool, workspaceId, async (tx) => {
    if (!(await isUnderAttack(tx, workspaceId, { formId, nowMs }))) return
    const { rows } = await tx.query<{ content: string }>({
      name: 'note_attack_told',
      text: `update forms set attack_told_at = $3 where workspace_id = $1 and id = $2 and deleted_at is null
          and (attack_told_at is null or attack_told_at <= $4) returning content`,
      values: [workspaceId, formId, new Date(nowMs).toISOString(), new Date(nowMs - DAY_MS).toISOString()],
    })
    if (rows[0] === undefined) return
    const { name } = contentOf(rows[0].content)
    for (const owner of await ownersOf(tx, workspaceId)) {
      await mailer.queue(tx, {
        kind: 'form_notice',
        recipient: owner.email,
        lifeSeconds: DAY_SECONDS,
        content: noticeOf(owner, name),
      })
    }
  })
}

function noticeOf({ name, workspace }: Owner, form: string): { subject: string; paragraphs: string[] } {
  return {
    subject: `The form “${form}” is being filled in much more often than usual`,
    paragraphs: [
      `Hello ${name},`,
      `the form “${form}” of the workspace ${workspace} is filled in more than three times as often as in the week before, probably by programs.`,
      'Nothing has to be done: browsers work a few seconds longer for it, no address gets more than one mail a day, and nobody is a contact without confirming.',
      'If it goes on, pause the form, or name the sites that may have it. Its page tells what came and why it was refused.',
    ],
  }
}
