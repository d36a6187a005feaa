import { sentence } from '../../lib/sentence.ts'
import type { Integration, PreflightCheck } from '../../lib/site-types.ts'
import { Select } from '../../ui/controls.tsx'
import { TextField } from '../../ui/text-field.tsx'
import type { Written } from './broadcast-draft.ts'
import classes from './compose.module.css'
import { ComposeSection, sectionOf } from './compose-section.tsx'
import { senderOf } from './sender.ts'
import type { Fold } from './use-folds.ts'

type Props = {
  value: Written
  onChange: (change: Partial<Written>) => void
  /** As far as they are listed; undefined while nobody knows them. */
  integrations: { items: readonly Integration[]; totalItems: number } | undefined
  checks: readonly PreflightCheck[]
  fold: Fold | undefined
}

/** From whom it comes, and by which way. */
export function ComposeSender({ value, onChange, integrations: listed, checks, fold }: Props) {
  const own = checks.filter((check) => sectionOf(check) === 'Sender')
  const integrations = listed?.items ?? []
  const sender = senderOf({ ...value, fromName: null, fromEmail: null }, integrations)
  const { name, email } = senderOf(value, integrations)
  const summary = [name, email && `<${email}>`].filter(Boolean).join(' ') || 'That of the integration'
  const faultOf = (field: string) => {
    const fault = own.find((check) => check.field === field)
    return fault && sentence(fault.detail)
  }
  return (
    <ComposeSection title="Sender" checks={own} fold={fold} summary={summary}>
      <div className={classes.fields}>
        <Select
          label="Goes through"
          value={value.integrationId ?? ''}
          error={faultOf('integrationId')}
          onChange={(event) => onChange({ integrationId: event.currentTarget.value || null })}
          options={[
            { value: '', label: 'The default integration' },
            ...integrations.map(({ id, name }) => ({ value: id, label: name })),
            ...unlisted(value.integrationId, listed),
          ]}
        />
        <div className={classes.pair}>
          <TextField
            label="From name"
            placeholder={sender.name ?? 'That of the integration'}
            value={value.fromName ?? ''}
            maxLength={200}
            onChange={(event) => onChange({ fromName: event.currentTarget.value || null })}
          />
          <TextField
            label="From address"
            type="email"
            placeholder={sender.email ?? 'That of the integration'}
            value={value.fromEmail ?? ''}
            maxLength={320}
            error={faultOf('fromEmail')}
            onChange={(event) => onChange({ fromEmail: event.currentTarget.value || null })}
          />
        </div>
      </div>
    </ComposeSection>
  )
}

/** The one it goes through where the list has it not: what is chosen is shown, and not the first of the list. */
function unlisted(id: string | null, listed: Props['integrations']) {
  if (id === null || listed?.items.some((one) => one.id === id)) return []
  const areAll = listed !== undefined && listed.items.length === listed.totalItems
  return [{ value: id, label: areAll ? 'An integration that is gone' : `Integration ${id}` }]
}
