import { useState } from 'react'
import { sizeText } from '../../lib/format.ts'
import { lazyPart } from '../../lib/load-part.ts'
import type { Backup, System } from '../../lib/site-types.ts'
import { useAct, useSite } from '../../lib/use-site.ts'
import { Button } from '../../ui/controls.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { ClockIcon } from '../../ui/icons.tsx'
import { Panel } from '../../ui/panel.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { Shown } from '../../ui/states.tsx'
import { say, sayProblem } from '../../ui/toasts.tsx'
import { backupColumns } from './backup-columns.tsx'
import classes from './backups.module.css'
import { isUnderWay } from './is-under-way.ts'
import { scheduleText } from './nightly-hours.ts'

const ScheduleDialog = lazyPart(() => import('./schedule-dialog.tsx'))
const DownloadDialog = lazyPart(() => import('./download-dialog.tsx'))
const RemoveDialog = lazyPart(() => import('./remove-dialog.tsx'))

const changes = ['/site/system/backups', '/site/system']
const POLL_MS = 2_000

type Open = { what: 'schedule' } | { what: 'download' | 'remove'; backup: Backup }

/** Copies of the whole database: the last one, when others come, and the files of those that the service took itself. */
export function BackupsPanel({ last }: { last: System['lastBackup'] }) {
  const backups = useSite(
    'GET /site/system/backups',
    {},
    { pollMs: ({ items }) => (items.some(isUnderWay) ? POLL_MS : false) },
  )
  const take = useAct('POST /site/system/backups', { changes })
  const [open, setOpen] = useState<Open>()
  const close = () => setOpen(undefined)
  const schedule = backups.data?.schedule
  return (
    <Panel
      title="Backups"
      note="copies of the whole database"
      flush
      actions={
        <>
          <Button small icon={ClockIcon} disabled={!schedule} onClick={() => setOpen({ what: 'schedule' })}>
            Every night
          </Button>
          <Button
            small
            busy={take.isPending || backups.data?.items.some(isUnderWay)}
            disabled={!backups.data}
            onClick={() => void take.mutateAsync({}).then(() => say('A backup is being taken.'), sayProblem)}
          >
            Back up now
          </Button>
        </>
      }
    >
      <Shown read={backups} rows={2}>
        {({ items, directory, schedule }) => (
          <>
            <div className={classes.words}>
              <p>
                {last === null ? (
                  'None was taken yet.'
                ) : (
                  <>
                    The last one is as of <RelativeTime at={last.takenAt} absolute />, {sizeText(last.bytes)}, read to
                    its end.
                  </>
                )}{' '}
                {scheduleText(schedule)}
              </p>
              <p className="soft">
                The files are in <code>{directory}</code>. Keep copies on another machine, and apart from them the
                encryption key, without which nobody can restore them:{' '}
                <a href="/docs/guides/operations#backup-and-restore">how that is done</a>.
              </p>
            </div>
            {items.length > 0 && (
              <DataTable
                label="Backups"
                columns={backupColumns((what, backup) => setOpen({ what, backup }))}
                rows={items}
                rowId={({ id }) => id}
                rowName={({ fileName }) => fileName}
              />
            )}
          </>
        )}
      </Shown>
      {open?.what === 'schedule' && schedule && <ScheduleDialog saved={schedule} onClose={close} />}
      {open?.what === 'download' && <DownloadDialog backup={open.backup} onClose={close} />}
      {open?.what === 'remove' && <RemoveDialog backup={open.backup} changes={changes} onClose={close} />}
    </Panel>
  )
}
