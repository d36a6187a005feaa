import { useNavigate } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { isProblem } from '../../../lib/problem.ts'
import { site } from '../../../lib/site.ts'
import { useOneRun } from '../../../lib/use-one-run.ts'
import { useAct } from '../../../lib/use-site.ts'
import { ChoiceField } from '../../../ui/choice.tsx'
import { Button } from '../../../ui/controls.tsx'
import { useFormFaults } from '../../../ui/form.ts'
import { Form, FormField } from '../../../ui/form-field.tsx'
import { PageHeader } from '../../../ui/page-header.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { sayProblem } from '../../../ui/toasts.tsx'
import { EventNames } from '../../segments/field-picker.tsx'
import { BEGINNING_SCENARIOS } from './beginning-scenarios.ts'
import type { Beginning } from './beginnings.ts'
import { BeginningsList } from './beginnings-list.tsx'
import classes from './builder.module.css'
import type { Definition } from './edit-flow.ts'

type Way = 'event' | 'hand'
/** A field of that key is there already, which is as well. */
const heedConflict = (error: unknown) => {
  if (!isProblem(error, 409)) throw error
}
const EVENT_POINTER = '/definition/enter/on/0/event'

/** An automation is begun: its name, and what brings people in. Steps are put in where it is built. */
export default function NewAutomationPage() {
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [way, setWay] = useState<Way>('event')
  const [event, setEvent] = useState('')
  const listId = useId()
  const create = useAct('POST /automations', { changes: ['/automations'] })
  const faults = useFormFaults(['/name', EVENT_POINTER])
  const begin = async (given: string, definition: Definition, scenarios: Record<string, unknown>[] = []) => {
    const body = { name: given, definition: { ...definition }, scenarios }
    const { value } = await create.mutateAsync({ body })
    await navigate({ to: `/automations/${value.id}/edit` as never, replace: true })
  }
  const submit = () => {
    const on = way === 'event' ? [{ event: event.trim() }] : [{ manual: true }]
    return begin(name.trim(), { format: 1, enter: { on }, start: 'end', nodes: {} }).catch(faults.take)
  }
  const take = async ({ key, name: own, definition, needs }: Beginning) => {
    if (needs) await site('POST /custom-fields', { body: needs }).catch(heedConflict)
    await begin(name.trim() || own, definition, BEGINNING_SCENARIOS[key])
  }
  const { once, isRunning } = useOneRun((beginning: Beginning) => take(beginning).catch(sayProblem))
  return (
    <>
      <PageHeader title="New automation" back={{ to: '/automations', label: 'Automations' }}>
        What brings people in, and what happens to each of them then, at their own time.
      </PageHeader>
      <div className={classes.beginColumns}>
        <BeginningsList busy={isRunning} onTake={(beginning) => void once(beginning)} />
        <Panel title="From scratch">
          <Form
            isKept
            faults={faults}
            onSubmit={submit}
            actions={
              <Button type="submit" kind="primary" busy={create.isPending}>
                Begin
              </Button>
            }
          >
            <FormField
              label="Name"
              pointer="/name"
              faults={faults}
              value={name}
              maxLength={200}
              placeholder="Forgotten carts"
              onChange={setName}
            />
            <ChoiceField
              label="What brings people in"
              value={way}
              onChange={setWay}
              choices={[
                {
                  value: 'event',
                  label: 'An event',
                  description: 'Something that your program records: a sign-up, a cart.',
                },
                {
                  value: 'hand',
                  label: 'By hand',
                  description: 'You bring in contacts or a segment, here or by a program.',
                },
              ]}
            />
            {way === 'event' && (
              <TextField
                label="Event"
                placeholder="cart.updated"
                value={event}
                maxLength={200}
                list={listId}
                error={faults.at(EVENT_POINTER)}
                onChange={(change) => setEvent(change.currentTarget.value)}
              />
            )}
            <EventNames id={listId} />
          </Form>
        </Panel>
      </div>
    </>
  )
}
