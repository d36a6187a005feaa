import { type Static, Type } from 'typebox'
import { answer, closed, Id, nullable, oneOf, Timestamp } from '../../platform/schema/schemas.ts'
import { stepUpFields } from '../second-factor/schemas.ts'

/** Of the night's own: a year of them. */
const KEPT_MAX = 365

export const Backup = answer('Backup', {
  id: Id,
  state: oneOf(['waiting', 'running', 'done', 'failed'], {
    description: 'A backup that is `done` was read to its end.',
  }),
  fileName: Type.String({ examples: ['postroom-2026-11-30T03-30-00.123Z.backup'] }),
  askedAt: Timestamp,
  askedBy: nullable(Type.String({ description: 'Name of the person; null for one of every night.' })),
  takenAt: nullable(Type.String({ ...Timestamp, description: 'The moment that it is a copy of.' })),
  copiedBytes: Type.Integer({ description: 'Of the database so far, while it is taken.' }),
  bytes: nullable(Type.Integer({ description: 'Size of the file.' })),
  host: nullable(Type.String({ description: 'The machine that took it.' })),
  isHere: Type.Boolean({ description: 'Whether the file is in `BACKUP_DIR` of the process that answers.' }),
  error: nullable(Type.String({ description: 'Why it failed.' })),
  endedAt: nullable(Timestamp),
})
export type Backup = Static<typeof Backup>

const schedule = {
  hour: nullable(
    Type.Integer({
      minimum: 0,
      maximum: 23,
      description: 'Hour in UTC after which one is taken every day; null: none is.',
    }),
  ),
  kept: Type.Integer({
    minimum: 1,
    maximum: KEPT_MAX,
    description: 'Backups of every night that are kept: older ones are removed. Those that somebody asked for stay.',
  }),
}

export const BackupSchedule = closed('BackupSchedule', schedule, { examples: [{ hour: 3, kept: 7 }] })
export type BackupSchedule = Static<typeof BackupSchedule>

export const Backups = answer('Backups', {
  directory: Type.String({ description: '`BACKUP_DIR` of the process that answers.' }),
  schedule: Type.Object(schedule),
  items: Type.Array(Backup, { description: 'The newest 100, newest first.' }),
})
export type Backups = Static<typeof Backups>

export const BackupFileBody = closed('BackupFileBody', stepUpFields, {
  examples: [{ password: 'correct horse battery staple' }],
})

export const BackupFileLink = answer('BackupFileLink', {
  path: Type.String({ description: 'Of the file, for a minute and for this person alone.' }),
})
export type BackupFileLink = Static<typeof BackupFileLink>
