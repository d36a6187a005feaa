import { dateTimeText } from '../../lib/format.ts'
import type { Backup } from '../../lib/site-types.ts'
import { useAct } from '../../lib/use-site.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { say } from '../../ui/toasts.tsx'
import { isUnderWay } from './is-under-way.ts'

type Props = { backup: Backup; changes: readonly string[]; onClose: () => void }

/** Asks before a backup and its file are removed, or one that is being taken is stopped. */
export default function RemoveDialog({ backup, changes, onClose }: Props) {
  const { id, state, takenAt, isHere, host } = backup
  const remove = useAct('DELETE /site/system/backups/{id}', { changes: [...changes] })
  const isStopped = isUnderWay(backup)
  return (
    <ConfirmDialog
      title={isStopped ? 'Stop the backup' : 'Remove the backup'}
      opened
      danger
      action={isStopped ? 'Stop it' : 'Remove it'}
      onClose={onClose}
      onConfirm={async () => {
        await remove.mutateAsync({ params: { id } })
        say(isStopped ? 'Stopped. Nothing of it is left.' : 'Removed.')
      }}
    >
      {isStopped ? (
        <p>Nothing of it is left. Another one can be taken at any time.</p>
      ) : state === 'failed' ? (
        <p>It has no file: only this line goes.</p>
      ) : isHere ? (
        <p>The copy as of {takenAt === null ? 'then' : dateTimeText(takenAt)} and its file are gone for good.</p>
      ) : (
        <p>
          The file is on {host ?? 'another machine'} and stays there, or has gone from it: what is removed is this line.
        </p>
      )}
    </ConfirmDialog>
  )
}
