import { useState } from 'react'
import type { BackupSchedule } from '../../lib/site-types.ts'
import { useAct } from '../../lib/use-site.ts'
import { Select } from '../../ui/controls.tsx'
import { useFormFaults } from '../../ui/form.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Switch } from '../../ui/switch.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { say } from '../../ui/toasts.tsx'
import { localHours, scheduleText } from './nightly-hours.ts'

/** An hour at which few people are awake in most of the world's time zones that have many. */
const HOUR_FIRST = 3

/** Says whether a backup is taken every night, when, and how many of those are kept. */
export default function ScheduleDialog({ saved, onClose }: { saved: BackupSchedule; onClose: () => void }) {
  const [isOn, setOn] = useState(saved.hour !== null)
  const [hour, setHour] = useState(String(saved.hour ?? HOUR_FIRST))
  const [kept, setKept] = useState(String(saved.kept))
  const faults = useFormFaults(['/hour', '/kept'])
  const set = useAct('PUT /site/system/backups/schedule', { changes: ['/site/system/backups'] })
  const save = () =>
    set
      .mutateAsync({ body: { hour: isOn ? Number(hour) : null, kept: Number(kept) } })
      .then(({ value }) => {
        say(scheduleText(value))
        onClose()
      })
      .catch(faults.take)
  return (
    <FormDialog
      title="A backup every night"
      action="Save"
      faults={faults}
      busy={set.isPending}
      onSubmit={save}
      onClose={onClose}
    >
      <Switch
        label="Take one every night"
        description="The service goes on meanwhile. The first one is taken within a minute if its hour has passed today."
        checked={isOn}
        onChange={(event) => setOn(event.currentTarget.checked)}
      />
      {isOn && (
        <>
          <Select
            label="At"
            description="By your own clock."
            value={hour}
            options={localHours()}
            error={faults.at('/hour')}
            onChange={(event) => setHour(event.currentTarget.value)}
          />
          <TextField
            label="How many of them are kept"
            description="From 1 to 365. Older ones are removed; those that somebody asked for stay."
            inputMode="numeric"
            value={kept}
            error={faults.at('/kept')}
            onChange={(event) => setKept(event.currentTarget.value)}
          />
        </>
      )}
    </FormDialog>
  )
}
