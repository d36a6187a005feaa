import type pg from 'pg'
import { ALL_WORKSPACES } from '../../platform/db/transaction.ts'
import { HOUR_SECONDS } from '../../platform/durations.ts'
import { handlerOf } from '../../platform/jobs/job-kind.ts'
import type { Job, JobContext, Outcome } from '../../platform/jobs/outcome.ts'
import { API_DOOR, SITE_DOOR } from '../door.ts'
import type { Module } from '../module.ts'
import { EXPORT_CONTACTS, type ExportDeps } from './create-export.ts'
import { exportContacts, failExport } from './export-contacts.ts'
import { exportRoutes } from './export-routes.ts'
import { importContacts, noteFailedRun } from './import-contacts.ts'
import { IMPORT_CONTACTS, type ImportDeps } from './import-deps.ts'
import { importRoutes, uploadRoute } from './import-routes.ts'
import { forgetOldErrors } from './queries.ts'
import { clearFiles } from './stored-files.ts'

const EXPIRE_EVERY_SECONDS = HOUR_SECONDS
const TURN_MS = 30_000
const RETRY_MAX_MS = 60_000
const EXPORT_ATTEMPTS_MAX = 12

export type ImportsModuleDeps = ImportDeps & ExportDeps & { pool: pg.Pool }

export function importsModule(deps: ImportsModuleDeps): Module {
  return {
    routes(app) {
      for (const door of [API_DOOR, SITE_DOOR]) {
        uploadRoute(app, deps, door)
        importRoutes(app, deps, door)
        exportRoutes(app, deps, door)
      }
    },
    jobs: [
      handlerOf(IMPORT_CONTACTS, {
        reach: 'database',
        // The import keeps its own account of failed runs, which begins anew with each slice.
        attemptsMax: Number.POSITIVE_INFINITY,
        retryDelayMs,
        run: ({ payload }, context) => runImports(deps, payload, context),
      }),
      handlerOf(EXPORT_CONTACTS, {
        reach: 'database',
        attemptsMax: EXPORT_ATTEMPTS_MAX,
        retryDelayMs,
        run: (job, context) => runExport(deps, job, context),
      }),
      {
        kind: 'expire_files',
        queue: 'default',
        everySeconds: EXPIRE_EVERY_SECONDS,
        reach: 'database',
        async run(_job, { stopping }) {
          const isOver = () => stopping.aborted
          await clearFiles(deps.pool, ALL_WORKSPACES, isOver)
          await forgetOldErrors(deps.pool, isOver)
          return isOver() ? { outcome: 'more' } : { outcome: 'ok' }
        },
      },
    ],
  }
}

const retryDelayMs = (attempt: number) => Math.min(RETRY_MAX_MS, 500 * 2 ** Math.min(attempt, 10))

async function runImports(
  deps: ImportsModuleDeps,
  { workspaceId }: { workspaceId: string },
  context: JobContext,
): Promise<Outcome> {
  try {
    const end = await importContacts({ ...deps, shouldYield: turnOf(context) }, workspaceId)
    // Also after a run that was killed behind the end of an import.
    if (end === 'done') await clearFiles(deps.pool, workspaceId, () => context.stopping.aborted)
    return end === 'more' ? { outcome: 'more' } : { outcome: 'ok' }
  } catch (error) {
    await noteFailedRun(deps.pool, workspaceId)
    return { outcome: 'error', error }
  }
}

type ExportJob = Job<{ workspaceId: string; exportId: string }>

async function runExport(deps: ImportsModuleDeps, job: ExportJob, context: JobContext): Promise<Outcome> {
  const { workspaceId, exportId: id } = job.payload
  try {
    const end = await exportContacts({ ...deps, shouldYield: turnOf(context) }, { workspaceId, id })
    return end === 'more' ? { outcome: 'more' } : { outcome: 'ok' }
  } catch (error) {
    const failure = 'It failed again and again for a reason on our side.'
    if (job.attempt >= EXPORT_ATTEMPTS_MAX) await failExport(deps.pool, { workspaceId, id }, failure)
    return { outcome: 'error', error }
  }
}

/** Tells when a run should let others have its place, and go on behind them. */
function turnOf({ signal, stopping }: JobContext): () => boolean {
  const startedMs = performance.now()
  return () => stopping.aborted || signal.aborted || performance.now() - startedMs > TURN_MS
}
