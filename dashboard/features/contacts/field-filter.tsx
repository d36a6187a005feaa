import type { CustomField } from '../../lib/site-types.ts'
import { FilterSelect, FilterText } from '../../ui/filter-bar.tsx'

const YES_OR_NO = [
  { value: 'true', label: 'yes' },
  { value: 'false', label: 'no' },
]

type Props = {
  fields: readonly CustomField[]
  field: string
  value: string
  onChange: (next: { field?: string; fieldValue: string }) => void
}

/** People with a value of a custom field: first the field, then the value. */
export default function FieldFilter({ fields, field, value, onChange }: Props) {
  const known = fields.filter(({ key }) => !key.includes(':'))
  if (known.length === 0 && field === '') return null
  const options = known.map(({ key, name }) => ({ value: key, label: name }))
  if (field !== '' && !known.some(({ key }) => key === field)) options.push({ value: field, label: field })
  const label = options.find(({ value: key }) => key === field)?.label ?? field
  const isYesOrNo = known.find(({ key }) => key === field)?.type === 'boolean'
  const choose = (fieldValue: string) => onChange({ fieldValue })
  return (
    <>
      <FilterSelect
        label="Field"
        options={options}
        value={field}
        onChange={(next) => onChange({ field: next, fieldValue: '' })}
      />
      {field !== '' &&
        (isYesOrNo ? (
          <FilterSelect label={label} options={YES_OR_NO} value={value} onChange={choose} />
        ) : (
          <FilterText
            key={field}
            label={`Value of ${label}`}
            placeholder={`${label} is …`}
            value={value}
            onChange={choose}
          />
        ))}
    </>
  )
}
