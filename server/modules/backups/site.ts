import { Type } from 'typebox'
import { DAY_MS } from '../../platform/durations.ts'
import { fileAnswer, nothing } from '../../platform/http/answers.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { closed } from '../../platform/schema/schemas.ts'
import { doerOf } from '../auth/guard-site.ts'
import { PERSON_DOOR, routesOf } from '../door.ts'
import { askForBackup, listBackups, removeBackup, setSchedule } from './ask-for-backup.ts'
import { type FileDeps, openFile, openLink } from './open-file.ts'
import { Backup, BackupFileBody, BackupFileLink, BackupSchedule, Backups } from './schemas.ts'

/** Characters of a sealed key, at the most. */
const KEY_CHARS_MAX = 1_000

/** For whoever runs the instance: copies of its whole database. */
export function backupsSite(app: HttpApp, deps: FileDeps): void {
  const routes = routesOf(app, PERSON_DOOR, { path: '/system/backups', family: 'Backups' })

  routes.get('', 'list', {
    needs: 'login',
    summary: 'List backups',
    description: 'Of the whole installation, for an owner of the first workspace.',
    answers: { 200: Backups },
    problems: [403],
    handle: async (request) => listBackups(deps, doerOf(request)),
  })

  routes.post('', 'take', {
    needs: 'login',
    summary: 'Take a backup',
    description: 'In the background, by a process that works, into its `BACKUP_DIR`. One at a time.',
    answers: { 202: Backup },
    problems: [403, 409],
    handle: async (request) => askForBackup(deps, doerOf(request)),
  })

  routes.put('/schedule', 'schedule', {
    needs: 'login',
    summary: 'Have a backup taken every night',
    body: BackupSchedule,
    answers: { 200: BackupSchedule },
    problems: [403],
    handle: async (request) => setSchedule(deps, request.body, doerOf(request)),
  })

  routes.delete('/:id', 'delete', {
    needs: 'login',
    summary: 'Remove a backup',
    description: 'With its file, where the process that answers has it. One that is being taken ends.',
    answers: { 204: nothing() },
    problems: [403],
    handle: async (request) => removeBackup(deps, request.params.id, doerOf(request)),
  })

  fileSite(app, deps)
}

/** The file of a backup, for whoever shows once more that the session is theirs. */
function fileSite(app: HttpApp, deps: FileDeps): void {
  const routes = routesOf(app, PERSON_DOOR, { path: '/system/backups/:id/file', family: 'Backups' })

  routes.post('', 'openFile', {
    needs: 'login',
    summary: 'Get a link to the file of a backup',
    description: `Asks for the password, or a code of the second factor, once more: the data of all workspaces is in it, in clear.
Each link stands in the audit log.`,
    body: BackupFileBody,
    answers: { 200: BackupFileLink },
    problems: [403, 409, 429],
    handle: async (request) => {
      const { id } = request.params
      const key = await openLink(deps, id, { doer: doerOf(request), shown: request.body })
      return { path: `/site/system/backups/${id}/file?key=${encodeURIComponent(key)}` }
    },
  })

  routes.get('', 'download', {
    needs: 'login',
    summary: 'Download the file of a backup',
    query: closed({ key: Type.String({ maxLength: KEY_CHARS_MAX, description: 'Of the link.' }) }),
    answers: { 200: fileAnswer('application/gzip', 'What `postroom restore` takes.') },
    problems: [403, 409],
    deadlineMs: DAY_MS,
    handle: async (request, reply) => {
      const { id } = request.params
      const { fileName, bytes, file } = await openFile(deps, id, { key: request.query.key, doer: doerOf(request) })
      return reply
        .type('application/gzip')
        .header('content-disposition', `attachment; filename="${fileName}"`)
        .header('content-length', bytes)
        .send(file)
    },
  })
}
