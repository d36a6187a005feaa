import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { countText, numberText } from '../../lib/format.ts'
import type { SiteProblem } from '../../lib/problem.ts'
import { newKey, site } from '../../lib/site.ts'
import type { BulkAct, BulkActPreview, ContactExportBody } from '../../lib/site-types.ts'
import { useAct, useSite } from '../../lib/use-site.ts'
import { Button, Select } from '../../ui/controls.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { useFormFaults } from '../../ui/form.ts'
import { Form, FormField } from '../../ui/form-field.tsx'
import { TextField } from '../../ui/text-field.tsx'

const REST_MS = 400
const POLL_MS = 1_000
const TYPED_ABOVE = 1_000

type Filter = ContactExportBody['filter']
type Asked = { act: BulkAct['act']; tag: string; filter: Filter }

/** A tag for everybody who fits: first the number, then the act, then whom it has changed and the way back. */
export default function BulkDialog({ filter, onClose }: { filter: Filter; onClose: () => void }) {
  const [started, setStarted] = useState<string>()
  return (
    <Dialog title="Tag everybody in this list" opened onClose={onClose}>
      {started === undefined ? (
        <AskAct filter={filter} onStarted={setStarted} onClose={onClose} />
      ) : (
        <ActProgress key={started} id={started} onUndo={setStarted} onClose={onClose} />
      )}
    </Dialog>
  )
}

type AskProps = { filter: Filter; onStarted: (id: string) => void; onClose: () => void }

function AskAct({ filter, onStarted, onClose }: AskProps) {
  const [act, setAct] = useState<BulkAct['act']>('tag')
  const [tag, setTag] = useState('')
  const [typed, setTyped] = useState('')
  const [key, setKey] = useState(newKey)
  const faults = useFormFaults(['/tag'])
  const create = useAct('POST /contacts/bulk-acts', { changes: ['/contacts/bulk-acts'] })
  const count = useCount({ act, tag: tag.trim(), filter })
  const isTyped = count.data === undefined || count.data.count <= TYPED_ABOVE || typed.trim() === tag.trim()
  const isReady = count.data !== undefined && count.data.changes > 0 && isTyped
  const change = <T,>(set: (value: T) => void) => {
    return (value: T) => {
      set(value)
      setKey(newKey())
    }
  }
  const submit = () =>
    create
      .mutateAsync({ body: { act, tag, filter, expectedCount: count.data!.count }, idempotencyKey: key })
      .then(({ value }) => onStarted(value.id))
      .catch((error: unknown) => {
        setKey(newKey())
        faults.take(error)
      })
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
        onChange={(event) => change(setAct)(event.currentTarget.value as BulkAct['act'])}
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
        onChange={change(setTag)}
      />
      <p role="status">
        {tag.trim() === ''
          ? 'Everybody whom the filters of the list find, on all its pages.'
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
function useCount({ act, tag, filter }: Asked) {
  const [asked, setAsked] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setAsked(tag), REST_MS)
    return () => clearTimeout(timer)
  }, [tag])
  const read = useQuery<BulkActPreview, SiteProblem>({
    queryKey: ['preview of a bulk act', act, asked, filter],
    queryFn: ({ signal }) => site('POST /contacts/bulk-acts/preview', { body: { act, tag: asked, filter }, signal }),
    enabled: asked !== '' && asked === tag,
    retry: false,
    gcTime: 0,
  })
  return asked === tag && !read.isFetching ? read : { data: undefined, error: null }
}

type ProgressProps = { id: string; onUndo: (id: string) => void; onClose: () => void }

function ActProgress({ id, onUndo, onClose }: ProgressProps) {
  const [isRunning, setRunning] = useState(true)
  const read = useSite('GET /contacts/bulk-acts/{id}', { params: { id } }, { pollMs: isRunning && POLL_MS })
  const undo = useAct('POST /contacts/bulk-acts/{id}/undo', { changes: ['/contacts/bulk-acts', '/tags'] })
  const cancel = useAct('POST /contacts/bulk-acts/{id}/cancel', { changes: ['/contacts/bulk-acts'] })
  const state = read.data?.state
  useEffect(() => setRunning(state === undefined || state === 'running'), [state])
  const faults = useFormFaults([])
  const { data } = read
  return (
    <Form
      faults={faults}
      onSubmit={onClose}
      actions={
        <>
          {state === 'running' && (
            <Button busy={cancel.isPending} onClick={() => cancel.mutateAsync({ params: { id } }).catch(faults.take)}>
              Stop
            </Button>
          )}
          {data?.canBeUndone && (
            <Button
              busy={undo.isPending}
              onClick={() =>
                undo
                  .mutateAsync({ params: { id } })
                  .then(({ value }) => onUndo(value.id))
                  .catch(faults.take)
              }
            >
              Undo
            </Button>
          )}
          <Button type="submit" kind="primary">
            Close
          </Button>
        </>
      }
    >
      <p role="status">{data === undefined ? 'Starting' : saying(data)}</p>
      {state === 'running' && (
        <progress max={Math.max(1, data?.contacts.total ?? 1)} value={data?.contacts.done ?? 0} aria-label="Progress" />
      )}
    </Form>
  )
}

function saying({ act, tag, state, undoes, contacts, failure }: BulkAct): string {
  const people = countText(contacts.changed, 'contact')
  const verb = act === 'tag' ? 'got' : 'lost'
  if (state === 'running')
    return `${numberText(contacts.done)} of ${countText(contacts.total, 'contact')}. It goes on when you leave.`
  if (state === 'failed') return `${failure ?? 'It failed.'} ${people} ${verb} the tag “${tag}”.`
  const rest = contacts.done - contacts.changed
  const others = rest > 0 && undoes === null ? ` ${numberText(rest)} had it so already.` : ''
  return `${undoes === null ? '' : 'Undone: '}${people} ${verb} the tag “${tag}”.${others}`
}
