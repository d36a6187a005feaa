import { useState } from 'react'
import { countText } from '../../lib/format.ts'
import { useAct } from '../../lib/use-site.ts'
import { ChoiceField } from '../../ui/choice.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'

type Props = { id: string; inside: number; onClose: () => void }

/** Lets everybody go on, and asks what becomes of the time that has passed meanwhile. */
export function ResumeDialog({ id, inside, onClose }: Props) {
  const [late, setLate] = useState<'shift' | 'now'>('shift')
  const resume = useAct('POST /automations/{id}/resume', { changes: ['/automations'] })
  return (
    <ConfirmDialog
      title="Resume this automation"
      opened
      onClose={onClose}
      action={`Let ${countText(inside, 'person', 'people')} go on`}
      onConfirm={() => resume.mutateAsync({ params: { id }, body: { late } })}
    >
      <ChoiceField
        label="What became due meanwhile"
        value={late}
        onChange={setLate}
        choices={[
          { value: 'shift', label: 'Comes later', description: 'Every wait is put off by as long as it was paused.' },
          { value: 'now', label: 'Is done at once', description: 'Mails that were due go out now, all of them.' },
        ]}
      />
    </ConfirmDialog>
  )
}
