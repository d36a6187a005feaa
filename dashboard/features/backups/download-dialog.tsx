import { sizeText } from '../../lib/format.ts'
import type { Backup } from '../../lib/site-types.ts'
import { useAct } from '../../lib/use-site.ts'
import { useFormFaults } from '../../ui/form.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { STEP_UP_POINTERS, StepUpField, useStepUp } from '../second-factor/step-up.tsx'

/** Gives the file of a backup to whoever shows once more that the session is theirs. */
export default function DownloadDialog({ backup, onClose }: { backup: Backup; onClose: () => void }) {
  const faults = useFormFaults(STEP_UP_POINTERS)
  const stepUp = useStepUp(true)
  const open = useAct('POST /site/system/backups/{id}/file', { changes: [] })
  const download = () =>
    open
      .mutateAsync({ params: { id: backup.id }, body: stepUp.shown })
      .then(({ value }) => {
        window.location.assign(value.path)
        onClose()
      })
      .catch(faults.take)
  return (
    <FormDialog
      title="Download the backup"
      action={backup.bytes === null ? 'Download' : `Download ${sizeText(backup.bytes)}`}
      faults={faults}
      busy={open.isPending}
      disabled={stepUp.isMissing}
      onSubmit={download}
      onClose={onClose}
    >
      <p>
        Everything that all workspaces keep is in it, people’s addresses in clear. Keep it as you keep the database. It
        is of no use without the encryption key.
      </p>
      <StepUpField stepUp={stepUp} why="Asked for because the data of everybody is in the file." faults={faults} />
    </FormDialog>
  )
}
