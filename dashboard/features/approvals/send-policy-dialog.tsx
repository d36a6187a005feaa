import { useState } from 'react'
import { numberText } from '../../lib/format.ts'
import type { SendPolicy } from '../../lib/site-types.ts'
import { useAct, useSite } from '../../lib/use-site.ts'
import { Button, Select } from '../../ui/controls.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { useFormFaults } from '../../ui/form.ts'
import { Form } from '../../ui/form-field.tsx'
import { Shown } from '../../ui/states.tsx'
import { say } from '../../ui/toasts.tsx'
import { STEP_UP_POINTERS, StepUpField, useStepUp } from '../second-factor/step-up.tsx'
import { BudgetFields, NEW_BUDGET, PASSWORD_FROM } from './budget-fields.tsx'

type Mode = SendPolicy['mode']
/** A token, or the agent that acts under it. */
type Named = { id: string; name: string }

const MODES: readonly { value: Mode; label: string }[] = [
  { value: 'approve', label: 'One of us approves each act' },
  { value: 'budget', label: 'Within a budget it sends by itself' },
  { value: 'off', label: 'It may not even ask' },
]

/** How far an agent goes by itself with a token. */
export function SendPolicyDialog({ token, onClose }: { token: Named; onClose: () => void }) {
  const policy = useSite('GET /tokens/{id}/send-policy', { params: { id: token.id } })
  return (
    <Dialog title={`What “${token.name}” may send`} opened onClose={onClose}>
      <Shown read={policy} rows={3}>
        {(saved) => <PolicyForm token={token} saved={saved} onClose={onClose} />}
      </Shown>
    </Dialog>
  )
}

function PolicyForm({ token, saved, onClose }: { token: Named; saved: SendPolicy; onClose: () => void }) {
  const [mode, setMode] = useState(saved.mode)
  const [budget, setBudget] = useState(saved.budget ?? NEW_BUDGET)
  const faults = useFormFaults(['/budget', ...STEP_UP_POINTERS])
  const path = `/tokens/${token.id}/send-policy`
  const set = useAct('PUT /tokens/{id}/send-policy', { changes: [path] })
  const stepUp = useStepUp(mode === 'budget' && budget.recipientsPerSend > PASSWORD_FROM)
  const save = () =>
    set
      .mutateAsync({
        params: { id: token.id },
        body: { mode, ...(mode === 'budget' ? { budget } : {}), ...stepUp.shown },
      })
      .then(() => {
        say('Saved. It holds for the next thing it asks for.')
        onClose()
      })
      .catch(faults.take)
  return (
    <Form
      faults={faults}
      onSubmit={save}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" busy={set.isPending} disabled={stepUp.isMissing}>
            Save
          </Button>
        </>
      }
    >
      <Select
        label="When an agent would like to send"
        value={mode}
        options={MODES}
        onChange={(event) => setMode(event.currentTarget.value as Mode)}
      />
      {mode === 'budget' && <BudgetFields value={budget} faults={faults} onChange={setBudget} />}
      {saved.mode === 'budget' && (
        <p className="soft">
          In the last 24 hours it has sent {numberText(saved.spent.sends)} times by itself, to{' '}
          {numberText(saved.spent.recipients)} people.
        </p>
      )}
      <StepUpField
        stepUp={stepUp}
        why="Asked for because it would write to more than 1,000 people at once."
        faults={faults}
      />
    </Form>
  )
}
