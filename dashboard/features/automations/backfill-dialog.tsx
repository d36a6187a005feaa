import { useState } from 'react'
import { countText, numberText } from '../../lib/format.ts'
import type { Automation } from '../../lib/site-types.ts'
import { useAct, useSite } from '../../lib/use-site.ts'
import { ChoiceField } from '../../ui/choice.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Shown } from '../../ui/states.tsx'
import { TextField } from '../../ui/text-field.tsx'

const DAYS = 30
const DAYS_MAX = 365

type Props = { automation: Automation; onClose: () => void }

/** Has people come in whose trigger happened before: how many, and as of when. */
export default function BackfillDialog({ automation: { id }, onClose }: Props) {
  const [typed, setTyped] = useState(String(DAYS))
  const [pace, setPace] = useState('')
  const [asOf, setAsOf] = useState<'now' | 'then'>('now')
  const days = Math.min(DAYS_MAX, Math.max(1, Math.round(Number(typed)) || 1))
  const perMinute = Math.round(Number(pace))
  const preview = useSite('GET /automations/{id}/backfill-preview', { params: { id }, query: { days } }, { keep: true })
  const begin = useAct('POST /automations/{id}/backfill', { changes: ['/automations'] })
  const body = { days, asOf, ...(perMinute > 0 ? { perMinute } : {}) }
  return (
    <ConfirmDialog
      title="Bring in people of the past"
      opened
      onClose={onClose}
      action={preview.data?.events ? `Go through ${countText(preview.data.events, 'event')}` : 'Begin'}
      isReady={preview.data?.events !== 0}
      onConfirm={() => begin.mutateAsync({ params: { id }, body })}
    >
      <p>
        People whose trigger happened before this automation was in force may come in now. Its filter, its rule and how
        often it takes somebody decide as always.
      </p>
      <TextField
        label="Days back"
        type="number"
        min={1}
        max={DAYS_MAX}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <Shown read={preview} rows={1}>
        {({ events, people, enteredBefore }) =>
          events === 0 ? (
            <p>In that time nothing happened by which anybody comes in. Look further back.</p>
          ) : (
            <p>
              {countText(events, 'event')} of {countText(people, 'person', 'people')}, {numberText(enteredBefore)} of
              whom have come in before.
            </p>
          )
        }
      </Shown>
      <ChoiceField
        label="When they begin"
        value={asOf}
        onChange={setAsOf}
        choices={[
          { value: 'now', label: 'Now', description: 'By their newest event; waits count from now.' },
          {
            value: 'then',
            label: 'As of their event',
            description: 'Exits and goals since count, waits may be over, and mail of the past is skipped.',
          },
        ]}
      />
      <TextField
        label="Events a minute, at most"
        description="Empty: as fast as it goes."
        type="number"
        min={1}
        value={pace}
        onChange={(event) => setPace(event.currentTarget.value)}
      />
    </ConfirmDialog>
  )
}
