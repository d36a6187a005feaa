import { useEffect, useState } from 'react'
import { useCan } from '../../lib/permissions.ts'
import { useSite } from '../../lib/use-site.ts'
import { Select } from '../../ui/controls.tsx'
import { TextField } from '../../ui/text-field.tsx'
import classes from './person-picker.module.css'

const PEOPLE_SHOWN = 50
const REST_MS = 250

/** The person as whom a mail is shown: a sample person, or anybody who is found by name or address. */
export function PersonPicker({ value, onChange }: { value: string; onChange: (contactId: string) => void }) {
  const can = useCan()
  const [search, setSearch] = useState('')
  const [asked, setAsked] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setAsked(search.trim()), REST_MS)
    return () => clearTimeout(timer)
  }, [search])
  const query = { pageSize: PEOPLE_SHOWN, sort: '-id' as const, ...(asked === '' ? {} : { search: asked }) }
  const contacts = useSite('GET /contacts', { query }, { enabled: can('contacts:read'), keep: true })
  // Somebody who was chosen stays to choose, whoever is looked for next.
  const [chosen, setChosen] = useState<{ id: string; email: string | null }>()
  const found = (contacts.data?.items ?? []).filter(({ email }) => email !== null)
  const people = chosen?.id !== value || found.some(({ id }) => id === value) ? found : [chosen, ...found]
  const hasMore = asked !== '' || (contacts.data?.totalItems ?? 0) > PEOPLE_SHOWN
  return (
    <div className={classes.person}>
      {hasMore && (
        <TextField
          aria-label="Find a person"
          placeholder="Find a person"
          type="search"
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      )}
      <Select
        label="As whom"
        hideLabel
        value={value}
        onChange={(event) => {
          const { value: id } = event.currentTarget
          setChosen(people.find((one) => one.id === id))
          onChange(id)
        }}
        options={[
          { value: '', label: 'Sample person' },
          ...people.map(({ id, email }) => ({ value: id, label: email ?? id })),
        ]}
      />
    </div>
  )
}
