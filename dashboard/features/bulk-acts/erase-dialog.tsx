import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { countText, numberText } from '../../lib/format.ts'
import { isProblem, type SiteProblem } from '../../lib/problem.ts'
import { site } from '../../lib/site.ts'
import type { BulkActPreview } from '../../lib/site-types.ts'
import { useAct } from '../../lib/use-site.ts'
import { isTyped } from '../../ui/confirm-dialog.tsx'
import { Button } from '../../ui/controls.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { useFormFaults } from '../../ui/form.ts'
import { Form } from '../../ui/form-field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Fact, Facts } from '../../ui/panel.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { SegmentName } from '../segments/segment-name.tsx'
import { ActProgress } from './act-progress.tsx'
import { type ContactFilter, type People, statedPeople } from './people.ts'

/** Erases many: whom, how many, that number typed, and then how far it is. */
export default function EraseDialog({ people, onClose }: { people: People; onClose: (wasStarted: boolean) => void }) {
  const [started, setStarted] = useState<string>()
  const close = () => onClose(started !== undefined)
  return (
    <Dialog title="Erase these people" opened onClose={close}>
      {started === undefined ? (
        <AskErasing people={people} onStarted={setStarted} onClose={close} />
      ) : (
        <ActProgress id={started} onUndo={setStarted} onClose={close} />
      )}
    </Dialog>
  )
}

type AskProps = { people: People; onStarted: (id: string) => void; onClose: () => void }

function AskErasing({ people, onStarted, onClose }: AskProps) {
  const client = useQueryClient()
  const [typed, setTyped] = useState('')
  const faults = useFormFaults([])
  const stated = statedPeople(people)
  const queryKey = ['preview of erasing', stated]
  // Once, when it is asked: the number that is shown is the number that is confirmed.
  const read = useQuery<BulkActPreview, SiteProblem>({
    queryKey,
    queryFn: ({ signal }) => site('POST /contacts/bulk-acts/preview', { body: { act: 'erase', ...stated }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  })
  const erase = useAct('POST /contacts/bulk-acts/erase', { changes: ['/contacts/bulk-acts'] })
  const count = read.data?.count
  const isReady = count !== undefined && count > 0 && isTyped(typed, count)
  const submit = () => {
    if (!isReady) return
    const body = { ...stated, expectedCount: count }
    erase
      .mutateAsync({ body })
      .then(({ value }) => onStarted(value.id))
      .catch((error: unknown) => {
        if (isProblem(error) && error.code === 'audience-changed') void client.invalidateQueries({ queryKey })
        faults.take(error)
      })
  }
  return (
    <Form
      faults={faults}
      isKept
      onSubmit={submit}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="danger" busy={erase.isPending} disabled={!isReady}>
            {count === undefined ? 'Erase' : `Erase ${countText(count, 'person', 'people')}`}
          </Button>
        </>
      }
    >
      <div className="words">
        {'filter' in people ? <WhomFilter filter={people.filter} /> : <p>Those whom you have selected.</p>}
        <p role="status">
          {count === undefined ? (read.error?.detail ?? 'Counting') : `This erases ${countText(count, 'contact')}.`}
        </p>
        <p>
          The contacts are gone at once; events, messages, files and recorded answers that tell of them follow within
          minutes. This cannot be undone.
        </p>
        <p className="soft">Their opt-outs and anonymous totals stay, so that nobody writes to them by mistake.</p>
      </div>
      {count !== undefined && count > 0 && (
        <TextField
          label={
            <>
              Type <code>{numberText(count)}</code> to go on
            </>
          }
          value={typed}
          inputMode="numeric"
          autoComplete="off"
          data-autofocus
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      )}
    </Form>
  )
}

/** Filters in words; without one it is everybody, which nobody should have to find out. */
function WhomFilter({ filter }: { filter: ContactFilter }) {
  const { search, tag, segmentId, customField, updatedSince } = filter
  if (Object.values(filter).every((value) => value === undefined)) {
    return <Notice tone="bad">No filter is set: this is everybody in the workspace.</Notice>
  }
  return (
    <>
      <p>Everybody whom these filters of the list find, on all its pages.</p>
      <Facts>
        {search !== undefined && <Fact name="Search">{search}</Fact>}
        {tag !== undefined && <Fact name="Tag">{tag}</Fact>}
        {segmentId !== undefined && (
          <Fact name="Segment">
            <SegmentName id={segmentId} />
          </Fact>
        )}
        {customField !== undefined && <Fact name="Field">{customField.replace(':', ' is ')}</Fact>}
        {updatedSince !== undefined && (
          <Fact name="Changed since">
            <RelativeTime at={updatedSince} />
          </Fact>
        )}
      </Facts>
    </>
  )
}
