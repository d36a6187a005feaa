import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { useCan } from '../../lib/permissions.ts'
import { createSignal, useSignal } from '../../lib/signal.ts'
import { site } from '../../lib/site.ts'
import { refresh, useAct, useSite } from '../../lib/use-site.ts'
import { Button } from '../../ui/controls.tsx'
import { XIcon } from '../../ui/icons.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Shown } from '../../ui/states.tsx'
import { doUnlessUndone, sayProblem } from '../../ui/toasts.tsx'
import classes from './contact-tags.module.css'

const TAGS_MAX = 200

/** A tag that is about to be taken off, and what keeps it on. */
type Leaving = { contactId: string; name: string; keep: () => void }

/** Known to every page that shows the contact meanwhile: the server has them still, however often it is asked. */
const leavingTags = createSignal<readonly Leaving[]>([])
/** The server knows a tag by its letters, large or small. */
const isOf = (contactId: string, name: string) => (one: Leaving) =>
  one.contactId === contactId && one.name.toLowerCase() === name.toLowerCase()

/** The tags of a contact: given at once, taken off with ten seconds to think again. */
export function ContactTags({ contactId }: { contactId: string }) {
  const can = useCan()
  const client = useQueryClient()
  const tags = useSite('GET /contacts/{contactId}/tags', { params: { contactId }, query: { pageSize: TAGS_MAX } })
  const leaving = useSignal(leavingTags)
  const remove = (name: string) => {
    const stays = () => leavingTags.set(leavingTags.get().filter((one) => !isOf(contactId, name)(one)))
    const keep = doUnlessUndone(`Tag “${name}” taken off.`, {
      act: async () => {
        await site('DELETE /contacts/{contactId}/tags/{name}', { params: { contactId, name } })
        await Promise.all([refresh(client, '/contacts'), refresh(client, '/tags')])
        stays()
      },
      undo: stays,
    })
    leavingTags.set([...leavingTags.get(), { contactId, name, keep }])
  }
  return (
    <Panel title="Tags">
      <Shown read={tags} rows={1}>
        {({ items }) => (
          <div className={classes.tags}>
            {items.length === 0 && !can('contacts:write') && <span className="soft">None</span>}
            {items
              .filter(({ name }) => !leaving.some(isOf(contactId, name)))
              .map(({ id, name }) => (
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
    // It has not gone yet: it is not taken off a moment later.
    leavingTags.get().find(isOf(contactId, name.trim()))?.keep()
    // The next one may be written already when this one is given.
    const taken = () => setName((now) => (now === name ? '' : now))
    apply.mutateAsync({ params: { contactId }, body: { name: name.trim() } }).then(taken, sayProblem)
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
