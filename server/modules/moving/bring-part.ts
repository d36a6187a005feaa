import { createHash } from 'node:crypto'
import { crashPoint } from '../../platform/crash-point.ts'
import { inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import { Problem } from '../../platform/problem.ts'
import { type AuditOrigin, recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { readImport } from '../imports/read-imports.ts'
import { discardFile } from '../imports/stored-files.ts'
import { addUp, peopleMoved } from './move-in.ts'
import { moveBroadcasts, moveTemplates } from './move-mails.ts'
import { moveOptOuts } from './move-opt-outs.ts'
import { startPeople } from './move-people.ts'
import type { MovedBroadcast, MovedPeople, MovedTemplate, OptOut } from './moved.ts'
import { type MovedSoFar, withLeftOut } from './moved-so-far.ts'
import type { MovingDeps } from './moving-deps.ts'
import {
  filesOfMoveStatement,
  type MoveKey,
  type MoveRow,
  markEnded,
  moveForChange,
  nextPartStatement,
  noteMoved,
  type Stage,
} from './queries.ts'
import { contentOfPart } from './read-page.ts'
import { serviceOf } from './sources.ts'

/** The order in which things come in: first who must not be mailed. */
const STAGES: readonly Stage[] = ['opt_outs', 'people', 'templates', 'broadcasts']

/** The person who has started it, for the log. */
export function starterOf(row: MoveRow): Caller {
  return { ...(JSON.parse(row.startedBy) as AuditOrigin), scopes: new Set() }
}

type Bringing = { deps: MovingDeps; key: MoveKey; row: MoveRow; moved: MovedSoFar }

/**
 * Brings in the next part of a move, and notes that it has. One that is brought in twice, after a kill between the two, is known
 * the second time. `waits` while the import of a file of people runs, which is a job of its own.
 */
export async function bringNextPart(deps: MovingDeps, key: MoveKey, row: MoveRow): Promise<'brought' | 'waits'> {
  const bringing: Bringing = { deps, key, row, moved: JSON.parse(row.moved) as MovedSoFar }
  const stage = row.stage ?? 'opt_outs'
  if (stage === 'people') return bringPeople(bringing)
  const [part] = await queryInScope(
    deps.pool,
    key.workspaceId,
    nextPartStatement(key, { kind: stage, from: row.nextPart }),
  )
  if (part === undefined) await endStage(bringing, stage)
  else await bringThings(bringing, { stage, number: part.number })
  return 'brought'
}

async function bringThings(bringing: Bringing, { stage, number }: { stage: Exclude<Stage, 'people'>; number: number }) {
  const { deps, key, row } = bringing
  const things = await contentOfPart<object>(deps, key, { fileId: row.fileId, number })
  const moved = await moveThings(bringing, { stage, things })
  await note(bringing, { stage, nextPart: number + 1, moved })
}

type Things = { stage: Exclude<Stage, 'people'>; things: readonly object[] }

async function moveThings({ deps, row, moved }: Bringing, { stage, things }: Things): Promise<MovedSoFar> {
  const caller = starterOf(row)
  if (stage === 'opt_outs') {
    addUp(moved.optOuts, await moveOptOuts(deps, caller, things as OptOut[]))
    return moved
  }
  const { leftOut, ...told } =
    stage === 'templates'
      ? await moveTemplates(deps, caller, things as MovedTemplate[])
      : await moveBroadcasts(deps, caller, things as MovedBroadcast[])
  addUp(moved[stage], told)
  return withLeftOut(moved, leftOut)
}

/** A file after the other: starts its import, and waits until that is over. */
async function bringPeople(bringing: Bringing): Promise<'brought' | 'waits'> {
  const { deps, key, row, moved } = bringing
  const files = await queryInScope(deps.pool, key.workspaceId, filesOfMoveStatement(key))
  const next = files[moved.people.length]
  if (next === undefined) {
    await endStage(bringing, 'people')
    return 'brought'
  }
  const known = moved.importing === null ? undefined : await importOf(bringing, moved.importing)
  if (known?.state === 'running') return 'waits'
  if (known !== undefined && known.state !== 'uploaded') {
    const people = [...moved.people, peopleMoved(next.file, known)]
    await note(bringing, { stage: 'people', nextPart: 0, moved: { ...moved, people, importing: null } })
    return 'brought'
  }
  const stretches = () => stretchesOf(bringing, next.numbers)
  const started = await startPeople(deps, starterOf(row), {
    ...{ service: serviceOf(row.source), file: next.file, stretches: stretches(), digest: await digestOf(stretches()) },
  })
  crashPoint('move_people_before_commit')
  await note(bringing, { stage: 'people', nextPart: 0, moved: { ...moved, importing: started.id } })
  return 'brought'
}

/** An import that was deleted meanwhile is begun again. */
function importOf({ deps, key }: Bringing, id: string) {
  return readImport(deps.pool, key.workspaceId, id).catch((error: unknown) => {
    if (error instanceof Problem) return undefined
    throw error
  })
}

async function* stretchesOf({ deps, key, row }: Bringing, numbers: readonly number[]): AsyncGenerator<MovedPeople> {
  for (const number of numbers) yield* await contentOfPart<MovedPeople>(deps, key, { fileId: row.fileId, number })
}

async function digestOf(stretches: AsyncIterable<MovedPeople>): Promise<string> {
  const digest = createHash('sha256')
  let isFirst = true
  for await (const { head, rows } of stretches) {
    digest.update(isFirst ? head + rows : rows)
    isFirst = false
  }
  return digest.digest('hex')
}

async function endStage(bringing: Bringing, stage: Stage): Promise<void> {
  const following = STAGES[STAGES.indexOf(stage) + 1]
  if (following !== undefined) return note(bringing, { stage: following, nextPart: 0, moved: bringing.moved })
  const { deps, key } = bringing
  await inTransaction(deps.pool, key.workspaceId, async (tx) => {
    const now = await moveForChange(tx, key)
    if (now?.state !== 'running') return
    await markEnded(tx, key, { state: 'done', failure: null })
    if (now.fileId !== null) await discardFile(tx, { workspaceId: key.workspaceId, fileId: now.fileId })
    const { optOuts, templates, broadcasts } = bringing.moved
    await recordAudit(tx, starterOf(now), {
      action: 'move.end',
      target: { type: 'move', id: key.id, name: serviceOf(now.source).name },
      diff: {
        state: { from: 'running', to: 'done' },
        optOuts: { from: null, to: optOuts.added },
        templates: { from: null, to: templates.created },
        broadcasts: { from: null, to: broadcasts.created },
      },
    })
  })
}

/** Notes what was brought in, unless the move has been canceled meanwhile. */
async function note({ deps, key }: Bringing, at: Parameters<typeof noteMoved>[2]): Promise<void> {
  await inTransaction(deps.pool, key.workspaceId, async (tx) => {
    const now = await moveForChange(tx, key)
    if (now?.state === 'running') await noteMoved(tx, key, at)
  })
}
