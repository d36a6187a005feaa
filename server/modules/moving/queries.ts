import type { Statement } from '../../platform/db/statement.ts'
import type { Queryable } from '../../platform/db/transaction.ts'
import { type PageQuery, rowsBefore } from '../../platform/schema/paging.ts'
import type { AuditOrigin } from '../audit/record-audit.ts'
import type { Foreseen } from './foresee.ts'
import type { SourceName } from './sources.ts'

export type MoveKey = { workspaceId: string; id: string }
export type MoveState = 'reading' | 'read' | 'running' | 'done' | 'failed' | 'canceled'
export type Stage = 'opt_outs' | 'people' | 'templates' | 'broadcasts'

/** A move as the database gives it. */
export type MoveRow = {
  id: string
  source: SourceName
  state: MoveState
  address: string | null
  sealedKey: string | null
  uploadId: string | null
  fileId: string | null
  place: string | null
  pages: number
  parts: number
  /** JSON. */
  foreseen: string
  stage: Stage | null
  nextPart: number
  /** JSON. */
  moved: string
  waitsUntil: string | null
  failure: string | null
  startedBy: string
  createdAt: string
  startedAt: string | null
  endedAt: string | null
  updatedAt: string
}

const COLUMNS = `m.id, m.source, m.state, m.address, m.sealed_key as "sealedKey", m.upload_id as "uploadId",
  m.file_id as "fileId", m.place, m.pages, m.parts, m.foreseen, m.stage, m.next_part as "nextPart", m.moved,
  m.waits_until as "waitsUntil", m.failure, m.started_by as "startedBy", m.created_at as "createdAt",
  m.started_at as "startedAt", m.ended_at as "endedAt", m.updated_at as "updatedAt"`

export type NewMove = {
  source: SourceName
  address: string | null
  uploadId: string | null
  fileId: string
  foreseen: Foreseen
  moved: object
  startedBy: AuditOrigin
}

export async function insertMove(tx: Queryable, workspaceId: string, given: NewMove): Promise<MoveRow> {
  const { source, address, uploadId, fileId, foreseen, moved, startedBy } = given
  const { rows } = await tx.query<MoveRow>({
    name: 'insert_move',
    text: `insert into moves as m (workspace_id, source, address, upload_id, file_id, foreseen, moved, started_by)
      values ($1, $2, $3, $4, $5, $6::json, $7::json, $8::json) returning ${COLUMNS}`,
    values: [
      ...[workspaceId, source, address, uploadId, fileId],
      ...[JSON.stringify(foreseen), JSON.stringify(moved), JSON.stringify(startedBy)],
    ],
  })
  return rows[0]!
}

/** A key is sealed for its row, which there has to be first. */
export async function keepKey(tx: Queryable, { workspaceId, id }: MoveKey, sealedKey: string): Promise<void> {
  await tx.query({
    name: 'keep_key_of_move',
    text: 'update moves set sealed_key = $3 where workspace_id = $1 and id = $2',
    values: [workspaceId, id, sealedKey],
  })
}

export function moveByIdStatement({ workspaceId, id }: MoveKey): Statement<MoveRow> {
  return {
    name: 'move_by_id',
    text: `select ${COLUMNS} from moves m where m.workspace_id = $1 and m.id = $2`,
    values: [workspaceId, id],
  }
}

/** The move of a workspace that is read or brought in, of which there is one at the most. */
export function underWayStatement(workspaceId: string): Statement<{ id: string }> {
  return {
    name: 'move_under_way',
    text: `select id from moves where workspace_id = $1 and state in ('reading', 'running')`,
    values: [workspaceId],
  }
}

/** The row, locked until the transaction ends. */
export async function moveForChange(tx: Queryable, { workspaceId, id }: MoveKey): Promise<MoveRow | undefined> {
  const { rows } = await tx.query<MoveRow>({
    name: 'move_for_change',
    text: `select ${COLUMNS} from moves m where m.workspace_id = $1 and m.id = $2 for no key update`,
    values: [workspaceId, id],
  })
  return rows[0]
}

export function movesPageStatement(workspaceId: string, page: PageQuery): Statement<MoveRow> {
  return {
    name: 'moves_page',
    text: `select ${COLUMNS} from moves m where m.workspace_id = $1 order by m.id desc limit $2 offset $3`,
    values: [workspaceId, page.pageSize, rowsBefore(page)],
  }
}

export function movesTotalStatement(workspaceId: string): Statement<{ total: string }> {
  return {
    name: 'moves_total',
    text: `select coalesce(sum(total), 0)::bigint as total from row_counts where workspace_id = $1 and relation = 'moves'`,
    values: [workspaceId],
  }
}

export type NewPart = { kind: Stage; file: string | null }

/** Parts of a page, behind those there are. */
export async function insertParts(
  tx: Queryable,
  { workspaceId, id }: MoveKey,
  { from, parts }: { from: number; parts: readonly NewPart[] },
): Promise<void> {
  if (parts.length === 0) return
  await tx.query({
    name: 'insert_parts_of_move',
    text: `insert into move_parts (workspace_id, move_id, number, kind, file)
      select $1, $2, $3::int4 + n - 1, kind, file
      from unnest($4::text[], $5::text[]) with ordinality as given (kind, file, n)`,
    values: [workspaceId, id, from, parts.map(({ kind }) => kind), parts.map(({ file }) => file)],
  })
}

export type Read = { foreseen: Foreseen; place: string | null; parts: number; isOver: boolean }

/** Notes a page that was read. Behind the last one the key is gone. */
export async function notePage(tx: Queryable, { workspaceId, id }: MoveKey, read: Read): Promise<void> {
  await tx.query({
    name: 'note_page_of_move',
    text: `update moves set foreseen = $3::json, place = $4, pages = pages + 1, parts = parts + $5, failed_runs = 0,
        waits_until = null, state = case when $6 then 'read' else state end,
        sealed_key = case when $6 then null else sealed_key end, updated_at = now()
      where workspace_id = $1 and id = $2`,
    values: [workspaceId, id, JSON.stringify(read.foreseen), read.place, read.parts, read.isOver],
  })
}

/** Says so where a move begins to be brought in, or goes on after a failure. */
export async function markStarted(tx: Queryable, { workspaceId, id }: MoveKey, by: AuditOrigin): Promise<void> {
  await tx.query({
    name: 'start_move',
    text: `update moves set state = 'running', stage = coalesce(stage, 'opt_outs'), started_by = $3::json, failure = null,
        failed_runs = 0, started_at = coalesce(started_at, now()), ended_at = null, updated_at = now()
      where workspace_id = $1 and id = $2`,
    values: [workspaceId, id, JSON.stringify(by)],
  })
}

/** Notes how far a move is brought in. */
export async function noteMoved(
  tx: Queryable,
  { workspaceId, id }: MoveKey,
  { stage, nextPart, moved }: { stage: Stage; nextPart: number; moved: object },
): Promise<void> {
  await tx.query({
    name: 'note_moved',
    text: `update moves set stage = $3, next_part = $4, moved = $5::json, failed_runs = 0, updated_at = now()
      where workspace_id = $1 and id = $2`,
    values: [workspaceId, id, stage, nextPart, JSON.stringify(moved)],
  })
}

export async function markEnded(
  tx: Queryable,
  { workspaceId, id }: MoveKey,
  { state, failure }: { state: 'done' | 'failed' | 'canceled'; failure: string | null },
): Promise<void> {
  await tx.query({
    name: 'end_move',
    text: `update moves set state = $3, failure = $4, sealed_key = null, waits_until = null, ended_at = now(), updated_at = now()
      where workspace_id = $1 and id = $2`,
    values: [workspaceId, id, state, failure],
  })
}

export async function noteWait(tx: Queryable, { workspaceId, id }: MoveKey, ms: number): Promise<void> {
  await tx.query({
    name: 'note_wait_of_move',
    text: `update moves set waits_until = now() + $3::float8 * interval '1 millisecond', updated_at = now()
      where workspace_id = $1 and id = $2 and state = 'reading'`,
    values: [workspaceId, id, ms],
  })
}

/** Counts a run that failed; answers how many did one after the other. */
export async function countFailedRun(tx: Queryable, { workspaceId, id }: MoveKey): Promise<number> {
  const { rows } = await tx.query<{ failedRuns: number }>({
    name: 'count_failed_run_of_move',
    text: `update moves set failed_runs = failed_runs + 1 where workspace_id = $1 and id = $2
      returning failed_runs as "failedRuns"`,
    values: [workspaceId, id],
  })
  return rows[0]?.failedRuns ?? 0
}

/** The next part of a kind. */
export function nextPartStatement(
  { workspaceId, id }: MoveKey,
  { kind, from }: { kind: Stage; from: number },
): Statement<{ number: number }> {
  return {
    name: 'next_part_of_move',
    text: `select number from move_parts where workspace_id = $1 and move_id = $2 and kind = $3 and number >= $4
      order by number limit 1`,
    values: [workspaceId, id, kind, from],
  }
}

/** Files of people in the order in which they were read, each with its parts. */
export function filesOfMoveStatement({ workspaceId, id }: MoveKey): Statement<{ file: string; numbers: number[] }> {
  return {
    name: 'files_of_move',
    text: `select file, array_agg(number order by number) as numbers from move_parts
      where workspace_id = $1 and move_id = $2 and kind = 'people' group by file order by min(number)`,
    values: [workspaceId, id],
  }
}

/** Moves of a workspace that hold what was read and are not being brought in. */
export async function waitingMoves(tx: Queryable, workspaceId: string): Promise<MoveRow[]> {
  const { rows } = await tx.query<MoveRow>({
    name: 'waiting_moves',
    text: `select ${COLUMNS} from moves m where m.workspace_id = $1 and m.file_id is not null
        and m.state in ('reading', 'read', 'failed') order by m.id for no key update`,
    values: [workspaceId],
  })
  return rows
}
