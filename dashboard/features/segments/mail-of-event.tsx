import { dateTimeText } from '../../lib/format.ts'
import { useCan } from '../../lib/permissions.ts'
import { useSite } from '../../lib/use-site.ts'
import { Select } from '../../ui/controls.tsx'
import { areByPeople, conditionsOf, mailOf, mayBeMachines, withMail, withPeople } from './mail-conditions.ts'
import classes from './segments.module.css'

const CHOICES_MAX = 200

type Props = { place: string; field: string; where: unknown; onChange: (where: readonly object[]) => void }

/** The mail that an event has to be of, by its name, and whether what machines did counts. */
export function MailOfEvent({ place, field, where, onChange }: Props) {
  const conditions = conditionsOf(where)
  const options = useMails(mailOf(conditions))
  return (
    <>
      <div className={classes.mail}>
        <Select
          id={`mail-${place}`}
          label={`Mail that rule ${place} is about`}
          hideLabel
          value={mailOf(conditions)}
          options={options}
          onChange={(chosen) => onChange(withMail(conditions, chosen.currentTarget.value))}
        />
      </div>
      {mayBeMachines(field) && (
        <Select
          id={`people-${place}`}
          label={`Who counts in rule ${place}`}
          hideLabel
          value={areByPeople(conditions) ? 'people' : 'all'}
          options={[
            { value: 'people', label: 'by a person' },
            { value: 'all', label: 'machines too' },
          ]}
          onChange={(chosen) => onChange(withPeople(conditions, chosen.currentTarget.value === 'people'))}
        />
      )}
    </>
  )
}

/** Broadcasts that went out, the newest first, and automations; the chosen one too where there are more. */
function useMails(chosen: string) {
  const can = useCan()
  const query = { pageSize: CHOICES_MAX }
  const broadcasts = useSite(
    'GET /broadcasts',
    { query: { ...query, sort: '-id' } },
    { enabled: can('broadcasts:read') },
  )
  const automations = useSite('GET /automations', { query }, { enabled: can('automations:read') })
  const sent = (broadcasts.data?.items ?? []).flatMap(({ id, name, startedAt }) =>
    startedAt === null
      ? []
      : [{ value: `broadcastId ${id}`, label: `of “${name}”`, at: `sent ${dateTimeText(startedAt)}` }],
  )
  const automated = (automations.data?.items ?? []).map(({ id, name, createdAt }) => ({
    ...{ value: `automationId ${id}`, label: `of the automation “${name}”`, at: `made ${dateTimeText(createdAt)}` },
  }))
  const mails = [...toldApart(sent), ...toldApart(automated)]
  const isListed = chosen === '' || mails.some(({ value }) => value === chosen)
  const other = isListed ? [] : [{ value: chosen, label: chosen.replace(/^(.*)Id /, 'of the $1 ') }]
  return [{ value: '', label: 'of any mail' }, ...mails, ...other]
}

/** Those of one name have the time as well. */
function toldApart(mails: readonly { value: string; label: string; at: string }[]) {
  const alike = Map.groupBy(mails, ({ label }) => label)
  return mails.map(({ value, label, at }) => ({
    value,
    label: alike.get(label)!.length > 1 ? `${label}, ${at}` : label,
  }))
}
