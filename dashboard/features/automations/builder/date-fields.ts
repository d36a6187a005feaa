import { useCan } from '../../../lib/permissions.ts'
import { useSite } from '../../../lib/use-site.ts'

const FIELDS_MAX = 500

/** The custom fields of the workspace that are dates. */
export function useDateFields(): readonly { key: string; name: string }[] {
  const can = useCan()
  const fields = useSite(
    'GET /custom-fields',
    { query: { pageSize: FIELDS_MAX } },
    { enabled: can('custom_fields:read') },
  )
  return (fields.data?.items ?? []).filter(({ type }) => type === 'date' || type === 'datetime')
}
