import { useEffect, useEffectEvent } from 'react'
import { useForgetRead } from '../../lib/forget-read.ts'
import { countText, numberText } from '../../lib/format.ts'
import type { BulkAct } from '../../lib/site-types.ts'
import { useAct, useSite } from '../../lib/use-site.ts'
import { Button } from '../../ui/controls.tsx'
import { useFormFaults } from '../../ui/form.ts'
import { Form } from '../../ui/form-field.tsx'

const POLL_MS = 1_000

type Props = { id: string; onUndo: (id: string) => void; onClose: () => void }

/** How far an act has come, whom it has changed, and the ways out of it. */
export function ActProgress({ id, onUndo, onClose }: Props) {
  const read = useSite(
    'GET /contacts/bulk-acts/{id}',
    { params: { id } },
    { pollMs: (act) => act.state === 'running' && POLL_MS },
  )
  const undo = useAct('POST /contacts/bulk-acts/{id}/undo', { changes: ['/contacts/bulk-acts', '/tags'] })
  const cancel = useAct('POST /contacts/bulk-acts/{id}/cancel', { changes: ['/contacts/bulk-acts'] })
  const state = read.data?.state
  const faults = useFormFaults([])
  const { data } = read
  const forgetRead = useEffectEvent(useForgetRead())
  const hasErased = data?.act === 'erase' && data.state !== 'running'
  useEffect(() => {
    if (hasErased) forgetRead()
  }, [hasErased])
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
      <p role="status">{data === undefined ? 'Starting' : data.act === 'erase' ? erasing(data) : tagging(data)}</p>
      {state === 'running' && (
        <progress max={Math.max(1, data?.contacts.total ?? 1)} value={data?.contacts.done ?? 0} aria-label="Progress" />
      )}
    </Form>
  )
}

const under = ({ contacts }: BulkAct) =>
  `${numberText(contacts.done)} of ${countText(contacts.total, 'contact')}. It goes on when you leave.`

function erasing(act: BulkAct): string {
  const { state, contacts, failure } = act
  if (state === 'running') return under(act)
  const are = `${countText(contacts.changed, 'contact')} ${contacts.changed === 1 ? 'is' : 'are'} erased`
  if (state === 'failed') return `${failure ?? 'It failed.'} ${are}.`
  if (state === 'canceled') return `${are}; the others stay.`
  const gone = contacts.done - contacts.changed
  const others = gone > 0 ? ` ${numberText(gone)} were gone already.` : ''
  return `${are}.${others} What else tells of them is removed within minutes.`
}

function tagging(given: BulkAct): string {
  const { act, tag, state, undoes, contacts, failure } = given
  const people = countText(contacts.changed, 'contact')
  const verb = act === 'tag' ? 'got' : 'lost'
  if (state === 'running') return under(given)
  if (state === 'failed') return `${failure ?? 'It failed.'} ${people} ${verb} the tag “${tag}”.`
  const rest = contacts.done - contacts.changed
  const others = rest > 0 && undoes === null ? ` ${numberText(rest)} had it so already.` : ''
  return `${undoes === null ? '' : 'Undone: '}${people} ${verb} the tag “${tag}”.${others}`
}
