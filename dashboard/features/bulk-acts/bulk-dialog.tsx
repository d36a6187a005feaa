import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { countText, numberText } from '../../lib/format.ts'
import type { SiteProblem } from '../../lib/problem.ts'
import { site } from '../../lib/site.ts'
import type { BulkAct, BulkActPreview } from '../../lib/site-types.ts'
import { useAct } from '../../lib/use-site.ts'
import { Button, Select } from '../../ui/controls.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { useFormFaults } from '../../ui/form.ts'
import { Form, FormField } from '../../ui/form-field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { ActProgress } from './act-progress.tsx'
import { type People, statedPeople } from './people.ts'

const REST_MS = 400
const TYPED_ABOVE = 1_000

type Act = Exclude<BulkAct['act'], 'erase'>
type Asked = { act: Act; tag: string; people: People }

/** A tag for everybody who fits, or is selected: first the number, then the act, then whom it has changed and the way back. */
export default function BulkDialog({ people, onClose }: { people: People; onClose: (wasStarted: boolean) => void }) {
  const [started, setStarted] = useState<string>()
  const close = () => onClose(started !== undefined)
  return (
    <Dialog title={'filter' in people ? 'Tag everybody in this list' : 'Tag those selected'} opened onClose={close}>
      {started === undefined ? (
        <AskAct people={people} onStarted={setStarted} onClose={close} />
      ) : (
        <ActProgress key={started} id={started} onUndo={setStarted} onClose={close} />
      )}
    </Dialog>
  )
}

type AskProps = { people: People; onStarted: (id: string) => void; onClose: () => void }

function AskAct({ people, onStarted, onClose }: AskProps) {
  const [act, setAct] = useState<Act>('tag')
  const [tag, setTag] = useState('')
  const [typed, setTyped] = useState('')
  const faults = useFormFaults(['/tag'])
  const create = useAct('POST /contacts/bulk-acts', { changes: ['/contacts/bulk-acts'] })
  const count = useCount({ act, tag: tag.trim(), people })
  const isTyped = count.data === undefined || count.data.count <= TYPED_ABOVE || typed.trim() === tag.trim()
  const isReady = count.data !== undefined && count.data.changes > 0 && isTyped
  const submit = () =>
    create
      .mutateAsync({ body: { act, tag, ...statedPeople(people), expectedCount: count.data!.count } })
      .then(({ value }) => onStarted(value.id))
      .catch(faults.take)
  return (
    <Form
      faults={faults}
      onSubmit={() => isReady && submit()}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" busy={create.isPending} disabled={!isReady}>
            {act === 'tag' ? 'Give the tag' : 'Take the tag off'}
          </Button>
        </>
      }
    >
      <Select
        label="What to do"
        value={act}
        onChange={(event) => setAct(event.currentTarget.value as Act)}
        options={[
          { value: 'tag', label: 'Give a tag' },
          { value: 'untag', label: 'Take a tag off' },
        ]}
      />
      <FormField
        label="Tag"
        autoFocus
        faults={faults}
        pointer="/tag"
        value={tag}
        maxLength={100}
        placeholder="VIP"
        onChange={setTag}
      />
      <p role="status">
        {tag.trim() === ''
          ? 'filter' in people
            ? 'Everybody whom the filters of the list find, on all its pages.'
            : 'Those whom you have selected.'
          : count.data === undefined
            ? (count.error?.detail ?? 'Counting')
            : `${countText(count.data.count, 'contact')} ${count.data.count === 1 ? 'fits' : 'fit'}, ${numberText(count.data.changes)} of them ${
                act === 'tag' ? 'do not have it yet' : 'have it'
              }.`}
      </p>
      {count.data !== undefined && count.data.count > TYPED_ABOVE && (
        <TextField
          label="Type the tag again, as these are many people"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      )}
    </Form>
  )
}

/** How many it is about, a moment after the last key. */
function useCount({ act, tag, people }: Asked) {
  const [asked, setAsked] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setAsked(tag), REST_MS)
    return () => clearTimeout(timer)
  }, [tag])
  const read = useQuery<BulkActPreview, SiteProblem>({
    queryKey: ['preview of a bulk act', act, asked, statedPeople(people)],
    queryFn: ({ signal }) =>
      site('POST /contacts/bulk-acts/preview', { body: { act, tag: asked, ...statedPeople(people) }, signal }),
    enabled: asked !== '' && asked === tag,
    retry: false,
    gcTime: 0,
  })
  return asked === tag && !read.isFetching ? read : { data: undefined, error: null }
}
