import type pg from 'pg'
import { queryInScope } from '../../platform/db/transaction.ts'
import type { Job, JobContext, Outcome } from '../../platform/jobs/outcome.ts'
import { API_DOOR, SITE_DOOR } from '../auth/door.ts'
import type { Module } from '../module.ts'
import type { ExportDeps } from './create-export.ts'
import { exportContacts, failExport } from './export-contacts.ts'
import { exportRoutes } from './export-routes.ts'
import { failImport, importContacts } from './import-contacts.ts'
import { type ImportDeps, QUEUE } from './import-deps.ts'
import { importRoutes, uploadRoute } from './import-routes.ts'
import { type ImportRow, oldestRunning } from './queries.ts'
import { deleteExpiredFiles } from './stored-files.ts'

const EXPIRE_EVERY_SECONDS = 3_600
/** After so long a run lets others have its place, and goes on behind them. */
const TURN_MS = 30_000
/** About an hour of failures one after the other. */
const ATTEMPTS_MAX = 12

export type ImportsModuleDeps = ImportDeps & ExportDeps & { pool: pg.Pool; wakeOutbox: () => void }

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
      {
        kind: 'import_contacts',
        queue: QUEUE,
        attemptsMax: Number.POSITIVE_INFINITY,
        run: (job, context) => runImports(deps, job, context),
      },
      {
        kind: 'export_contacts',
        queue: QUEUE,
        attemptsMax: Number.POSITIVE_INFINITY,
        run: (job, context) => runExport(deps, job, context),
      },
      {
        kind: 'expire_files',
        queue: QUEUE,
        everySeconds: EXPIRE_EVERY_SECONDS,
        async run() {
          while ((await deleteExpiredFiles(deps.pool)) > 0);
          return { outcome: 'ok' }
        },
      },
    ],
  }
}

async function runImports(deps: ImportsModuleDeps, job: Job, context: JobContext): Promise<Outcome> {
  const { workspaceId } = job.payload as { workspaceId: string }
  return await takeTurn(job, context, {
    work: (shouldYield) => importContacts({ ...deps, shouldYield }, workspaceId),
    async giveUp(failure) {
      const [row] = await queryInScope<ImportRow>(deps.pool, workspaceId, oldestRunning(workspaceId))
      if (row) await failImport(deps.pool, { workspaceId, id: row.id }, failure)
    },
  })
}

async function runExport(deps: ImportsModuleDeps, job: Job, context: JobContext): Promise<Outcome> {
  const { workspaceId, exportId: id } = job.payload as { workspaceId: string; exportId: string }
  return await takeTurn(job, context, {
    work: (shouldYield) => exportContacts({ ...deps, shouldYield }, { workspaceId, id }),
    giveUp: (failure) => failExport(deps.pool, { workspaceId, id }, failure),
  })
}

type Work = {
  work: (shouldYield: () => boolean) => Promise<'done' | 'more'>
  giveUp: (failure: string) => Promise<void>
}

async function takeTurn(job: Job, { signal, stopping }: JobContext, { work, giveUp }: Work): Promise<Outcome> {
  const startedMs = performance.now()
  try {
    const end = await work(() => stopping.aborted || signal.aborted || performance.now() - startedMs > TURN_MS)
    return end === 'more' ? { outcome: 'snooze', afterMs: 0 } : { outcome: 'ok' }
  } catch (error) {
    if (job.attempt < ATTEMPTS_MAX) return { outcome: 'error', error }
    await giveUp('It failed again and again for a reason on our side.')
    return { outcome: 'ok' }
  }
}
