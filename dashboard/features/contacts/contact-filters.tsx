import { lazyPart } from '../../lib/load-part.ts'
import { useCan } from '../../lib/permissions.ts'
import { areKnown } from '../../lib/use-known.ts'
import { useSite } from '../../lib/use-site.ts'
import { FilterSelect } from '../../ui/filter-bar.tsx'

export const FieldFilter = lazyPart(() => import('./field-filter.tsx'))
const CHOICES_MAX = 200
const FIELDS_MAX = 500

/** What contacts can be filtered by in this workspace, and whether all of it is known. */
export function useFilterChoices() {
  const can = useCan()
  const query = { pageSize: CHOICES_MAX }
  const tags = useSite('GET /tags', { query })
  const segments = useSite('GET /segments', { query }, { enabled: can('segments:read') })
  const isAllowed = { enabled: can('custom_fields:read') }
  const fields = useSite('GET /custom-fields', { query: { pageSize: FIELDS_MAX } }, isAllowed)
  return {
    tags: (tags.data?.items ?? []).map(({ name }) => ({ value: name, label: name })),
    segments: (segments.data?.items ?? []).map(({ id, name }) => ({ value: id, label: name })),
    fields: fields.data?.items ?? [],
    areKnown: areKnown(tags, segments, fields),
  }
}

type Props = {
  label: string
  options: { value: string; label: string }[]
  value: string
  onChange: (value: string) => void
}

/** A choice where there is something to choose. A value of the address that is not among it is shown all the same. */
export function ChoiceFilter({ options, value, ...rest }: Props) {
  if (options.length === 0 && value === '') return null
  const isListed = value === '' || options.some((option) => option.value === value)
  return <FilterSelect options={isListed ? options : [...options, { value, label: value }]} value={value} {...rest} />
}
