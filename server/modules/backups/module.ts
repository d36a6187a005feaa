import type { Module } from '../module.ts'
import { takeDueBackup } from './ask-for-backup.ts'
import type { FileDeps } from './open-file.ts'
import { backupsSite } from './site.ts'
import { type TakeDeps, takeJob } from './take-backup.ts'

const LOOK_EVERY_SECONDS = 60

export type BackupsModuleDeps = FileDeps & {
  /** Absent where no jobs are run. */
  files: TakeDeps['files'] | undefined
}

export function backupsModule({ files, ...deps }: BackupsModuleDeps): Module {
  return {
    routes: (app) => backupsSite(app, deps),
    jobs: [
      ...(files ? [takeJob({ ...deps, files })] : []),
      {
        kind: 'take_due_backup',
        queue: 'default',
        reach: 'database',
        everySeconds: LOOK_EVERY_SECONDS,
        async run() {
          await takeDueBackup(deps.sql)
          return { outcome: 'ok' }
        },
      },
    ],
  }
}
