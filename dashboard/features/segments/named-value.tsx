import { useCan } from '../../lib/permissions.ts'
import { useSite } from '../../lib/use-site.ts'
import { Select } from '../../ui/controls.tsx'

const CHOICES_MAX = 500

type Props = { kind: 'segment' | 'topic'; label: string; text: string; onChange: (id: string) => void }

/** A segment or a topic, by its name; what is chosen and not listed, as several are, is shown as it stands in the rule. */
export default function NamedValue({ kind, label, text, onChange }: Props) {
  const can = useCan()
  const query = { pageSize: CHOICES_MAX }
  const segments = useSite('GET /segments', { query }, { enabled: kind === 'segment' })
  const topics = useSite('GET /topics', { query }, { enabled: kind === 'topic' && can('contacts:read') })
  const listed = (kind === 'segment' ? segments : topics).data?.items ?? []
  const options = [
    { value: '', label: `Choose a ${kind}` },
    ...listed.map(({ id, name }) => ({ value: id, label: name })),
  ]
  if (!options.some(({ value }) => value === text)) options.push({ value: text, label: text })
  return (
    <Select
      id={label.replaceAll(/\W+/g, '-')}
      label={label}
      hideLabel
      value={text}
      options={options}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
