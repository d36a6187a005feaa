import { stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { BackupError } from '../../platform/backup/backup-file.ts'
import type { CopyProgress } from '../../platform/backup/write-backup.ts'
import { DAY_MS } from '../../platform/durations.ts'
import { handlerOf, jobKind } from '../../platform/jobs/job-kind.ts'
import type { JobContext, JobHandler, Outcome } from '../../platform/jobs/outcome.ts'
import { makeDirectory } from '../../platform/make-directory.ts'
import { refusalOf } from '../../platform/postgres/start-error.ts'
import { filesIn, removeFile, removeParts, requireRoom } from './backup-files.ts'
import { beginBackup, deleteBackups, type Ended, endBackup, noteProgress, oldBackups } from './queries.ts'

/** How often it is told how far it has come, and looked whether it is to go on. */
const LOOK_MS = 1_000

type Asked = { backupId: string; fileName: string }

export const TAKE_BACKUP = jobKind<Asked>({
  kind: 'take_backup',
  queue: 'default',
  singletonKey: ({ backupId }) => backupId,
})

/** A file that was read to its end. */
type Whole = { header: { madeAt: string }; fileBytes: number }

export type TakeDeps = {
  sql: pg.Pool
  /** `BACKUP_DIR`. */
  directory: string
  files: {
    take(options: { path: string; signal: AbortSignal; onProgress: (progress: CopyProgress) => void }): Promise<Whole>
    check(path: string): Promise<Whole>
  }
}

/**
 * The job `take_backup`: writes the file of a backup and reads it to its end. May be repeated: a file that is there is only read. One
 * that is removed while it is taken, ends; what keeps it from being written is told, and it is not tried again.
 */
export function takeJob(deps: TakeDeps): JobHandler {
  return handlerOf(TAKE_BACKUP, {
    reach: 'database',
    attemptsMax: Number.POSITIVE_INFINITY,
    timeoutMs: DAY_MS,
    run: ({ payload }, context) => takeBackup(deps, payload, context),
  })
}

async function takeBackup(deps: TakeDeps, { backupId, fileName }: Asked, context: JobContext): Promise<Outcome> {
  const { sql, directory } = deps
  if (!(await beginBackup(sql, backupId, hostname()))) return { outcome: 'ok' }
  const watch = watchCopy(deps, backupId)
  const isOver = () => context.stopping.aborted || context.signal.aborted
  let ended: Ended
  try {
    await makeDirectory(directory, 0o700)
    await removeParts(directory, fileName)
    const whole = await wholeFile(deps, join(directory, fileName), {
      signal: AbortSignal.any([context.stopping, context.signal, watch.signal]),
      onProgress: watch.onProgress,
    })
    ended = { takenAt: whole.header.madeAt, bytes: whole.fileBytes }
  } catch (error) {
    if (isOver()) return { outcome: 'more' }
    ended = { error: wordsOf(watch.signal.aborted ? watch.signal.reason : error) }
  } finally {
    watch.end()
  }
  if (!(await endBackup(sql, backupId, ended))) await removeFile(directory, fileName)
  await removeOld(deps)
  return { outcome: 'ok' }
}

type Taking = { signal: AbortSignal; onProgress: (progress: CopyProgress) => void }

/** Takes it, unless a process that was killed before it could say so has. */
async function wholeFile({ files }: TakeDeps, path: string, taking: Taking): Promise<Whole> {
  const isThere = await stat(path).then(
    () => true,
    () => false,
  )
  return isThere ? files.check(path) : files.take({ path, ...taking })
}

/** An error that a person can mend, in a line. Any other one is thrown, and the backup tried again. */
function wordsOf(error: unknown): string {
  if (error instanceof BackupError) return error.message
  const refusal = refusalOf(error)
  if (refusal === undefined) throw error
  return `BACKUP_DIR cannot be used: ${refusal}`
}

const REMOVED = new BackupError('it was removed while it was taken')

/** Tells how far a copy has come, and gives it up where it was removed, or its disk fills. */
function watchCopy({ sql, directory }: TakeDeps, backupId: string) {
  const over = new AbortController()
  let [copied, isLooking] = [0, false]
  const look = async () => {
    if (!(await noteProgress(sql, backupId, copied))) over.abort(REMOVED)
    await requireRoom(directory)
  }
  const timer = setInterval(() => {
    if (isLooking) return
    isLooking = true
    look()
      // That the database does not answer for a moment is no reason to give up.
      .catch((error: unknown) => error instanceof BackupError && over.abort(error))
      .finally(() => {
        isLooking = false
      })
  }, LOOK_MS)
  return {
    signal: over.signal,
    onProgress: ({ bytes }: CopyProgress) => {
      copied = bytes
    },
    end: () => clearInterval(timer),
  }
}

/** Removes what the night's are no longer kept of. A file on another machine stays until that takes one. */
async function removeOld({ sql, directory }: TakeDeps): Promise<void> {
  const there = await filesIn(directory)
  const old = (await oldBackups(sql)).filter(({ fileName, host }) => there.has(fileName) || host === hostname())
  for (const { fileName } of old) await removeFile(directory, fileName)
  await deleteBackups(
    sql,
    old.map(({ id }) => id),
  )
}
