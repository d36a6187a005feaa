import { useMemo } from 'react'
import { useCan } from '../../lib/permissions.ts'
import { useSite } from '../../lib/use-site.ts'
import { CLICKED, CONTACT_FIELDS, customEntry, type FieldEntry, TRIGGER } from './rule-catalogue.ts'

const FIELDS_MAX = 500

/** `variables`: names of those that steps set. */
type OfRun = { properties: boolean; variables: readonly string[]; mails: readonly { value: string; label: string }[] }

/** Fields that rules may ask about: those of contacts, and of a run of an automation what only a run has. */
export function useRuleFields(run?: OfRun): readonly FieldEntry[] {
  const can = useCan()
  const custom = useSite(
    'GET /custom-fields',
    { query: { pageSize: FIELDS_MAX } },
    { enabled: can('custom_fields:read') },
  )
  const ofContacts = useMemo(() => [...CONTACT_FIELDS, ...(custom.data?.items ?? []).map(customEntry)], [custom.data])
  if (run === undefined) return ofContacts
  return [
    ...ofContacts,
    { field: TRIGGER, label: 'Property of what brought them in', kind: 'property' },
    ...run.variables.map((name) => ({ field: `var.${name}`, label: `Variable ${name}`, kind: 'variable' as const })),
    ...(run.mails.length > 0
      ? [
          {
            field: CLICKED,
            label: 'Clicked in a mail of this automation',
            kind: 'clicked' as const,
            choices: run.mails,
          },
        ]
      : []),
  ]
}
