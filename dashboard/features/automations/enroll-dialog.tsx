import { useState } from 'react'
import { countText } from '../../lib/format.ts'
import type { Automation } from '../../lib/site-types.ts'
import { useAct, useSite } from '../../lib/use-site.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Select } from '../../ui/controls.tsx'
import { Link } from '../../ui/link.tsx'
import { Shown } from '../../ui/states.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { say } from '../../ui/toasts.tsx'
import { useSegments } from './reference-names.ts'

/** More people than this are brought in only with their number typed. */
const TYPED_FROM = 1_000

type Props = { automation: Automation; onClose: () => void }

/** Has everybody come in who is in a segment now. */
export default function EnrollDialog({ automation: { id }, onClose }: Props) {
  const [segmentId, setSegment] = useState('')
  const [pace, setPace] = useState('')
  const segments = useSegments()
  const perMinute = Math.round(Number(pace))
  const preview = useSite('GET /segments/{id}/preview', { params: { id: segmentId } }, { enabled: segmentId !== '' })
  const enroll = useAct('POST /automations/{id}/enroll', { changes: ['/automations'] })
  const count = segmentId === '' ? undefined : preview.data?.count
  const body = { segmentId, ...(perMinute > 0 ? { perMinute } : {}) }
  return (
    <ConfirmDialog
      title="Bring in a segment"
      opened
      onClose={onClose}
      action={count === undefined ? 'Bring in' : `Bring in ${countText(count, 'person', 'people')}`}
      isReady={count !== undefined && count > 0}
      {...(count !== undefined && count > TYPED_FROM ? { typed: count } : {})}
      onConfirm={async () => {
        const { value } = await enroll.mutateAsync({ params: { id }, body })
        say(`${countText(value.accepted, 'person comes in', 'people come in')}, as far as its rules let them.`)
      }}
    >
      <p>
        Everybody who is in the segment now comes in. Its rule and how often it takes somebody decide as always; an
        event is not needed.
      </p>
      {segments.length === 0 ? (
        <p className="soft">
          There are no segments yet: <Link to="/segments/new">make one</Link>.
        </p>
      ) : (
        <Select
          label="Segment"
          value={segmentId}
          options={[
            { value: '', label: 'Choose one', disabled: true },
            ...segments.map((one) => ({ value: one.id, label: one.name })),
          ]}
          onChange={(event) => setSegment(event.currentTarget.value)}
        />
      )}
      {segmentId !== '' && (
        <Shown read={preview} rows={1}>
          {(found) => <p role="status">{countText(found.count, 'contact is', 'contacts are')} in it now.</p>}
        </Shown>
      )}
      <TextField
        label="People a minute, at most"
        description="Empty: all at once."
        type="number"
        min={1}
        value={pace}
        onChange={(event) => setPace(event.currentTarget.value)}
      />
    </ConfirmDialog>
  )
}
