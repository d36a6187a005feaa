import { countText } from '../../lib/format.ts'
import type { Approval } from '../../lib/site-types.ts'
import { useAct } from '../../lib/use-site.ts'
import { Button } from '../../ui/controls.tsx'
import { useFormFaults } from '../../ui/form.ts'
import { Form } from '../../ui/form-field.tsx'
import { Panel } from '../../ui/panel.tsx'
import { say } from '../../ui/toasts.tsx'
import { STEP_UP_POINTERS, StepUpField, useStepUp } from '../second-factor/step-up.tsx'
import { ACTS } from './approval-words.tsx'

const CHANGES = ['/approvals', '/broadcasts', '/automations', '/messages']

/** Yes, with a password or a code where many people are concerned, or no. */
export function Decide({ approval }: { approval: Approval }) {
  const { id, act, needsPassword, scheduledAt } = approval
  const stepUp = useStepUp(needsPassword)
  const faults = useFormFaults(STEP_UP_POINTERS)
  const approve = useAct('POST /approvals/{id}/approve', { changes: CHANGES })
  const reject = useAct('POST /approvals/{id}/reject', { changes: CHANGES })
  const params = { id }
  const submit = () =>
    approve
      .mutateAsync({ params, body: stepUp.shown })
      .then(() => say(scheduledAt === null ? ACTS[act].done : 'It is scheduled.'))
      .catch(faults.take)
  const turnDown = () =>
    reject
      .mutateAsync({ params })
      .then(() => say('It is turned down; nothing happens.'))
      .catch(faults.take)
  return (
    <Panel title="Your decision">
      <Form
        faults={faults}
        onSubmit={submit}
        actions={
          <>
            <Button type="button" busy={reject.isPending} onClick={turnDown}>
              Turn it down
            </Button>
            <Button type="submit" kind="primary" busy={approve.isPending} disabled={stepUp.isMissing}>
              {buttonText(approval)}
            </Button>
          </>
        }
      >
        <p>Exactly what is shown here is done. If it has changed meanwhile, the agent has to ask anew.</p>
        <StepUpField
          stepUp={stepUp}
          why={
            act === 'automation'
              ? 'Asked for because nobody can tell how many people it will write to.'
              : 'Asked for because more than 1,000 people are concerned.'
          }
          faults={faults}
        />
      </Form>
    </Panel>
  )
}

function buttonText({ act, recipientsCount, scheduledAt }: Approval): string {
  if (act === 'automation') return 'Activate it'
  return `${scheduledAt === null ? 'Send' : 'Schedule'} to ${countText(recipientsCount, 'person', 'people')}`
}
