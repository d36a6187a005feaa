import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { useCan } from '../../lib/permissions.ts'
import { site } from '../../lib/site.ts'
import type { TagPage } from '../../lib/site-types.ts'
import { keyOf, refresh, useAct, useSite } from '../../lib/use-site.ts'
import { Button } from '../../ui/controls.tsx'
import { XIcon } from '../../ui/icons.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Shown } from '../../ui/states.tsx'
import { doUnlessUndone, sayProblem } from '../../ui/toasts.tsx'
import classes from './contact-tags.module.css'

const TAGS_MAX = 200

/** The tags of a contact: given at once, taken off with ten seconds to think again. */
export function ContactTags({ contactId }: { contactId: string }) {
  const can = useCan()
  const client = useQueryClient()
  const request = { params: { contactId }, query: { pageSize: TAGS_MAX } }
  const tags = useSite('GET /contacts/{contactId}/tags', request)
  const remove = (name: string) => {
    const key = keyOf('GET /contacts/{contactId}/tags', request)
    const without = (page: TagPage | undefined) =>
      page && { ...page, items: page.items.filter((tag) => tag.name !== name) }
    client.setQueryData<TagPage>(key, without)
    doUnlessUndone(`Tag “${name}” taken off.`, {
      act: async () => {
        await site('DELETE /contacts/{contactId}/tags/{name}', { params: { contactId, name } })
        await refresh(client, '/tags')
      },
      undo: () => client.invalidateQueries({ queryKey: key }),
    })
  }
  return (
    <Panel title="Tags">
      <Shown read={tags} rows={1}>
        {({ items }) => (
          <div className={classes.tags}>
            {items.length === 0 && !can('contacts:write') && <span className="soft">None</span>}
            {items.map(({ id, name }) => (
              <span key={id} className={classes.tag}>
                {name}
                {can('contacts:write') && (
                  <button type="button" aria-label={`Take the tag ${name} off`} onClick={() => remove(name)}>
                    <XIcon size={12} />
                  </button>
                )}
              </span>
            ))}
            {can('contacts:write') && <AddTag contactId={contactId} />}
          </div>
        )}
      </Shown>
    </Panel>
  )
}

function AddTag({ contactId }: { contactId: string }) {
  const [name, setName] = useState('')
  const known = useSite('GET /tags', { query: { pageSize: TAGS_MAX } })
  const apply = useAct('POST /contacts/{contactId}/tags', { changes: ['/contacts', '/tags'] })
  const listId = useId()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim() === '') return
    apply.mutateAsync({ params: { contactId }, body: { name: name.trim() } }).then(() => setName(''), sayProblem)
  }
  return (
    <form className={classes.add} onSubmit={submit}>
      <input
        aria-label="New tag"
        placeholder="Add a tag"
        list={listId}
        value={name}
        maxLength={100}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <datalist id={listId}>
        {known.data?.items.map((tag) => (
          <option key={tag.id} value={tag.name} />
        ))}
      </datalist>
      {name.trim() !== '' && (
        <Button small type="submit" busy={apply.isPending}>
          Add
        </Button>
      )}
    </form>
  )
}
