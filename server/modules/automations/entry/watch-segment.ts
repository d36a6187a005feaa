import { createHash } from 'node:crypto'
import { sql as raw } from 'kysely'
import type pg from 'pg'
import { int8Array } from '../../../platform/db/arrays.ts'
import { boundedStep, StepSize } from '../../../platform/db/bounded-step.ts'
import { databaseOutcome } from '../../../platform/db/errors.ts'
import { createQueryBuilder, statementOf } from '../../../platform/db/query-builder.ts'
import { withQueryTimeout } from '../../../platform/db/query-timeout.ts'
import { inTransaction, type Transaction } from '../../../platform/db/transaction.ts'
import { jobKind } from '../../../platform/jobs/job-kind.ts'
import { Problem } from '../../../platform/problem.ts'
import { loadFacts } from '../../segments/segment-facts.ts'
import { segmentMembers } from '../../segments/segment-members.ts'
import { emitSegmentEvents, type Mover } from './segment-events.ts'

/** How often a watched segment is looked at, and asked for, at the most; and how much of the time looking may take. */
export const WATCH_EVERY_SECONDS = 15
const WATCH_SHARE = 0.05
/** Changes that one look takes up; the rest is for the next, at once. */
const CHANGES_MAX = 100_000
/** Changes of a transaction. */
const CHUNK = 2_000
const LOOK_MS_MAX = 60_000
const ANSWER_MS = 5_000
/** How soon a segment is looked at again that nobody can tell the members of. */
const BROKEN_SECONDS = 300

export type WatchKey = { workspaceId: string; segmentId: string }

export const WATCH_SEGMENT = jobKind<WatchKey>({
  kind: 'watch_segment',
  queue: 'default',
  groupKey: ({ workspaceId }) => workspaceId,
  singletonKey: ({ workspaceId, segmentId }) => `${workspaceId}/${segmentId}`,
})

const build = createQueryBuilder<Record<string, never>>()

/**
 * The job `watch_segment`: holds who is in a segment to who was, and emits `segment.entered` and `segment.left` in the transactions
 * that keep it. The first look, and that after its rules were changed, tells of nobody. A segment that nobody listens to any more
 * is forgotten. `stopped` before the end: what is left is the next run's.
 */
export async function watchSegment(pool: pg.Pool, key: WatchKey, stop: AbortSignal): Promise<'done' | 'stopped'> {
  const { workspaceId } = key
  const watch = await inTransaction(pool, workspaceId, (tx) => readWatch(tx, key))
  if (!watch) return 'done'
  if (!watch.isWanted) return forget(pool, key, stop)
  if (watch.rests) return 'done'
  let { rules } = watch
  const startedMs = performance.now()
  const size = new StepSize(CHUNK)
  for (let isAll = false; !isAll; ) {
    const look = await lookAt(pool, key)
    if (look === undefined) return 'done'
    if ('error' in look) {
      await inTransaction(pool, workspaceId, (tx) => noteBroken(tx, key, look))
      return 'done'
    }
    const isSilent = rules !== look.rules
    if (isSilent && rules !== null) {
      // Rules that are taken back while they are being applied find only some of the people they were kept by.
      await inTransaction(pool, workspaceId, (tx) => forgetRules(tx, key))
      rules = null
    }
    for (const kind of ['left', 'entered'] as const) {
      const ids = look[kind]
      for (let from = 0; from < ids.length; ) {
        if (stop.aborted) return 'stopped'
        const work = async (tx: Transaction, limit: number) => {
          const part = ids.slice(from, from + limit)
          const movers = await (kind === 'left' ? takeOut : putIn)(tx, key, part)
          if (!isSilent) await emitSegmentEvents(tx, key, { kind, name: look.name, movers })
          return part.length
        }
        from += await boundedStep(pool, workspaceId, { size, work })
      }
    }
    isAll = look.left.length < CHANGES_MAX && look.entered.length < CHANGES_MAX
    if (isAll) {
      const pauseSeconds = Math.max(WATCH_EVERY_SECONDS, (performance.now() - startedMs) / 1_000 / WATCH_SHARE)
      await inTransaction(pool, workspaceId, (tx) => noteLook(tx, key, { ...look, pauseSeconds }))
    }
  }
  return 'done'
}

/** `rests`: the last look was a long one, or failed, and this one was asked for before it ended. */
type Watch = { rules: string | null; rests: boolean; isWanted: boolean }

async function readWatch(tx: Transaction, { workspaceId, segmentId }: WatchKey): Promise<Watch | undefined> {
  const { rows } = await tx.query<Watch>({
    name: 'segment_watch',
    text: `select w.rules, w.next_check_at > now() + make_interval(secs => ${WATCH_EVERY_SECONDS}) as rests, exists (
        select from automation_listens l
        join automation_versions v on v.workspace_id = l.workspace_id and v.automation_id = l.automation_id
          and v.version = l.version and w.segment_id = any (v.segment_ids)
        where l.workspace_id = $1 and l.name in ('segment.entered', 'segment.left')) as "isWanted"
      from segment_watches w where w.workspace_id = $1 and w.segment_id = $2`,
    values: [workspaceId, segmentId],
  })
  return rows[0]
}

type Broken = { error: string; pauseSeconds: number }
type Look = { name: string; rules: string; at: string; entered: string[]; left: string[] }

/** All that differs between who is in the segment and who was, by one statement. */
async function lookAt(pool: pg.Pool, { workspaceId, segmentId }: WatchKey): Promise<Look | Broken | undefined> {
  try {
    return await inTransaction(pool, workspaceId, async (plain) => {
      const tx = withQueryTimeout(plain, LOOK_MS_MAX + ANSWER_MS)
      await tx.query(`set local statement_timeout = ${LOOK_MS_MAX}`)
      const asked = { rules: [{ field: 'segment', operator: 'has', value: segmentId }] }
      const { segments } = await loadFacts(tx, workspaceId, [JSON.stringify(asked)])
      const segment = segments.get(segmentId)
      const members = await segmentMembers(tx, workspaceId, { id: segmentId })
      if (!segment || !members) return undefined
      const [workspace, id, limit] = [
        raw`cast(${workspaceId} as bigint)`,
        raw`cast(${segmentId} as bigint)`,
        raw.lit(CHANGES_MAX),
      ]
      const query = raw`with members as materialized (${members}), kept as materialized (
          select contact_id as id from segment_members where workspace_id = ${workspace} and segment_id = ${id})
        select cast(now() as text) as at,
          array(select cast(id as text) from (select id from members except select id from kept order by 1 limit ${limit}) e) as entered,
          array(select cast(id as text) from (select id from kept except select id from members order by 1 limit ${limit}) l) as "left"`
      const { rows } = await tx.query<Pick<Look, 'at' | 'entered' | 'left'>>(
        statementOf({ compile: () => query.compile(build) }),
      )
      return {
        ...rows[0]!,
        name: segment.name,
        rules: hashOf([...segments.values()].map(({ definition }) => definition)),
      }
    })
  } catch (error) {
    if (error instanceof Problem) return { error: error.detail ?? error.title, pauseSeconds: BROKEN_SECONDS }
    if (databaseOutcome(error) !== 'timed_out') throw error
    const seconds = LOOK_MS_MAX / 1_000
    return { error: `who is in it could not be told within ${seconds} seconds`, pauseSeconds: seconds / WATCH_SHARE }
  }
}

const hashOf = (definitions: readonly string[]) =>
  createHash('sha256').update(JSON.stringify(definitions.toSorted())).digest('base64url')

async function putIn(tx: Transaction, { workspaceId, segmentId }: WatchKey, ids: readonly string[]): Promise<Mover[]> {
  const { rows } = await tx.query<Mover>({
    name: 'put_segment_members',
    text: `with came as (
        insert into segment_members (workspace_id, segment_id, contact_id)
        select $1, $2, id from contacts where workspace_id = $1 and id = any ($3::int8[]) order by id for key share
        on conflict do nothing returning contact_id
      )
      select id, subject_id as "subjectId", email, phone from contacts
      where workspace_id = $1 and id in (select contact_id from came) order by id`,
    values: [workspaceId, segmentId, int8Array(ids)],
  })
  return rows
}

async function takeOut(
  tx: Transaction,
  { workspaceId, segmentId }: WatchKey,
  ids: readonly string[],
): Promise<Mover[]> {
  const { rows } = await tx.query<Mover>({
    name: 'take_segment_members_out',
    text: `with went as (
        delete from segment_members where workspace_id = $1 and segment_id = $2 and contact_id = any ($3::int8[])
        returning contact_id
      )
      select id, subject_id as "subjectId", email, phone from contacts
      where workspace_id = $1 and id in (select contact_id from went) order by id`,
    values: [workspaceId, segmentId, int8Array(ids)],
  })
  return rows
}

async function noteLook(
  tx: Transaction,
  { workspaceId, segmentId }: WatchKey,
  { rules, at, pauseSeconds }: { rules: string; at: string; pauseSeconds: number },
): Promise<void> {
  await tx.query({
    name: 'note_look_at_segment',
    text: `update segment_watches set rules = $3, checked_at = $4, error = null, next_check_at = now() + make_interval(secs => $5),
        due_at = now() + make_interval(secs => $5)
      where workspace_id = $1 and segment_id = $2`,
    values: [workspaceId, segmentId, rules, at, pauseSeconds],
  })
}

async function noteBroken(
  tx: Transaction,
  { workspaceId, segmentId }: WatchKey,
  { error, pauseSeconds }: Broken,
): Promise<void> {
  await tx.query({
    name: 'note_broken_segment',
    text: `update segment_watches set error = $3, next_check_at = now() + make_interval(secs => $4)
      where workspace_id = $1 and segment_id = $2`,
    values: [workspaceId, segmentId, error, pauseSeconds],
  })
}

/** From now on until a look is complete nobody is told of. */
async function forgetRules(tx: Transaction, { workspaceId, segmentId }: WatchKey): Promise<void> {
  await tx.query({
    name: 'forget_rules_of_segment_watch',
    text: 'update segment_watches set rules = null where workspace_id = $1 and segment_id = $2',
    values: [workspaceId, segmentId],
  })
}

/** Forgets who is in a segment, some at a time, and last that anybody has asked. */
async function forget(
  pool: pg.Pool,
  { workspaceId, segmentId }: WatchKey,
  stop: AbortSignal,
): Promise<'done' | 'stopped'> {
  const size = new StepSize(CHUNK)
  const work = async (tx: Transaction, limit: number) => {
    const { rowCount } = await tx.query({
      name: 'forget_segment_members',
      text: `delete from segment_members where workspace_id = $1 and segment_id = $2 and contact_id = any (array(
        select contact_id from segment_members where workspace_id = $1 and segment_id = $2 order by contact_id limit $3))`,
      values: [workspaceId, segmentId, limit],
    })
    return rowCount === 0
  }
  // Were it asked for again meanwhile, the next look would be the first.
  await inTransaction(pool, workspaceId, (tx) => forgetRules(tx, { workspaceId, segmentId }))
  const values = [workspaceId, segmentId]
  while (!stop.aborted) {
    if (!(await boundedStep(pool, workspaceId, { size, work }))) continue
    await inTransaction(pool, workspaceId, async (tx) => {
      await tx.query({
        name: 'hold_segment_watch',
        text: 'select from segment_watches where workspace_id = $1 and segment_id = $2 for update',
        values,
      })
      if ((await readWatch(tx, { workspaceId, segmentId }))?.isWanted) return
      await tx.query({
        name: 'forget_segment_watch',
        text: 'delete from segment_watches where workspace_id = $1 and segment_id = $2',
        values,
      })
    })
    return 'done'
  }
  return 'stopped'
}
