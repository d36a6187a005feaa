import type { Form } from '../../lib/site-types.ts'
import { useSite } from '../../lib/use-site.ts'
import { ActSelect } from '../../ui/act-select.tsx'
import { Checkbox, IconButton } from '../../ui/controls.tsx'
import type { FormFaults } from '../../ui/form.ts'
import { ArrowUpIcon, TrashIcon } from '../../ui/icons.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { askableFields, fieldName } from './form-words.tsx'
import classes from './forms.module.css'

type Field = Form['fields'][number]
const CUSTOM_MAX = 500
const FIELD_CHARS_MAX = 200

/** Fields of a form in their order; the email address is always one of them. */
export function FieldsEditor({
  fields,
  faults,
  onChange,
}: {
  fields: readonly Field[]
  faults: FormFaults
  onChange: (fields: Field[]) => void
}) {
  const read = useSite('GET /custom-fields', { query: { pageSize: CUSTOM_MAX } })
  const custom = read.data?.items ?? []
  const left = askableFields(custom).filter((name) => !fields.some(({ field }) => field === name))
  const put = (index: number, change: Partial<Field>) =>
    onChange(fields.map((one, n) => (n === index ? { ...one, ...change } : one)))
  const moveUp = (index: number) => {
    const next = [...fields]
    next.splice(index - 1, 0, ...next.splice(index, 1))
    onChange(next)
  }
  const add = (field: string) =>
    onChange([...fields, { field, label: null, required: false, maxLength: FIELD_CHARS_MAX }])
  return (
    <fieldset className={classes.plain}>
      <legend className="field-label">What it asks for</legend>
      <ol className={classes.fields}>
        {fields.map((one, n) => {
          const name = fieldName(one.field, custom)
          const isEmail = one.field === 'email'
          return (
            <li key={one.field}>
              <TextField
                label={name}
                placeholder="Label as usual"
                value={one.label ?? ''}
                error={faults.at(`/fields/${n}`)}
                onChange={(event) => put(n, { label: event.currentTarget.value || null })}
              />
              <Checkbox
                label="Required"
                aria-label={`${name} is required`}
                checked={one.required || isEmail}
                disabled={isEmail}
                onChange={(event) => put(n, { required: event.currentTarget.checked })}
              />
              <span className={classes.fieldActs}>
                {n > 0 && <IconButton label={`Move ${name} up`} icon={ArrowUpIcon} onClick={() => moveUp(n)} />}
                {!isEmail && (
                  <IconButton
                    label={`Remove ${name}`}
                    icon={TrashIcon}
                    onClick={() => onChange(fields.filter((_, index) => index !== n))}
                  />
                )}
              </span>
            </li>
          )
        })}
      </ol>
      {left.length > 0 && (
        <ActSelect
          label="Add a field"
          asks="Choose one"
          options={left.map((value) => ({ value, label: fieldName(value, custom) }))}
          onTake={add}
        />
      )}
    </fieldset>
  )
}
