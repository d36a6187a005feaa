import { ZONE } from '../../lib/local-time.ts'
import { zoneOptions } from '../../lib/zone-options.ts'
import { Select } from '../../ui/controls.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { atOnceText, whenFault, whenOf, whenText } from './choose-when.ts'
import classes from './compose.module.css'
import { ComposeSection } from './compose-section.tsx'
import type { Fold } from './use-folds.ts'
import type { When } from './when.ts'
import type { Finding } from './when-findings.ts'

type Props = { value: When; checks: readonly Finding[]; onChange: (when: When) => void; fold: Fold | undefined }

/** When it starts: now, at one moment, or at a time of day that comes to each contact in their own zone. */
export function ComposeWhen({ value, checks, onChange, fold }: Props) {
  const fault = whenFault(value)
  return (
    <ComposeSection title="When" checks={checks} fold={fold} summary={whenText(value)}>
      <div className={classes.fields}>
        <Select
          label="It starts"
          value={value.is}
          onChange={(event) => onChange(whenOf(event.currentTarget.value))}
          options={[
            { value: 'now', label: 'When I send it' },
            { value: 'at', label: 'At a time, for everybody at once' },
            { value: 'local', label: 'At a time of day, in each contact’s own zone' },
          ]}
        />
        {value.is !== 'now' && (
          <TextField
            label={value.is === 'at' ? `Date and time (${ZONE})` : 'Date and time, in each zone'}
            type="datetime-local"
            value={value.local}
            error={fault}
            onChange={(event) => onChange({ ...value, local: event.currentTarget.value })}
          />
        )}
        {value.is === 'local' && (
          <Select
            label="Zone of contacts that have none"
            value={value.zone}
            onChange={(event) => onChange({ ...value, zone: event.currentTarget.value })}
            options={zoneOptions(value.zone)}
          />
        )}
        {fault === undefined && (
          <p className="soft">
            {whenText(value)} {atOnceText(value)}
            {value.is !== 'now' && ' Until you schedule it, this time is kept in this browser alone.'}
          </p>
        )}
      </div>
    </ComposeSection>
  )
}
