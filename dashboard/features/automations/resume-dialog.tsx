import { useState } from 'react'
import { countText } from '../../lib/format.ts'
import type { Automation } from '../../lib/site-types.ts'
import { useAct } from '../../lib/use-site.ts'
import { ChoiceField } from '../../ui/choice.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'

/** Mail that is overdue by more than so long is stale. */
const DROP_AFTER = 'PT12H'

type Props = { automation: Automation; inside: number; onClose: () => void }

/** Lets everybody go on, and asks what becomes of the time that has passed meanwhile. */
export default function ResumeDialog({ automation: { id, pausedAt, pausedBy }, inside, onClose }: Props) {
  const [late, setLate] = useState<'shift' | 'now' | 'drop'>('shift')
  const resume = useAct('POST /automations/{id}/resume', { changes: ['/automations'] })
  return (
    <ConfirmDialog
      title="Resume this automation"
      opened
      onClose={onClose}
      action={inside > 0 ? `Let ${countText(inside, 'person', 'people')} go on` : 'Resume'}
      onConfirm={() =>
        resume.mutateAsync({ params: { id }, body: late === 'drop' ? { late, dropAfter: DROP_AFTER } : { late } })
      }
    >
      {pausedAt !== null && (
        <p>
          It is paused since <RelativeTime at={pausedAt} absolute />
          {pausedBy !== null && ` by ${pausedBy}`}.
        </p>
      )}
      <ChoiceField
        label="What became due meanwhile"
        value={late}
        onChange={setLate}
        choices={[
          { value: 'shift', label: 'Comes later', description: 'Every wait is put off by as long as it was paused.' },
          { value: 'now', label: 'Is done at once', description: 'Mails that were due go out now, all of them.' },
          {
            value: 'drop',
            label: 'Is done at once, without stale mail',
            description: 'As well, but mail that is overdue by more than 12 hours is left out.',
          },
        ]}
      />
    </ConfirmDialog>
  )
}
