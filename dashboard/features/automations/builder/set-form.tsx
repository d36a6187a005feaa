import { sentence } from '../../../lib/sentence.ts'
import { record, text } from '../flow-node.ts'
import { PairsField } from './pairs-field.tsx'
import type { FormProps } from './step-form.tsx'

type Named = Record<string, unknown>

/** Variables of the run, from what brought the person in, and fixed ones. */
export function SetForm({ node, faultAt, change }: FormProps) {
  const entries = Object.entries(record(node.set))
  const ofEvent = entries.flatMap(([name, value]) => (isOfEvent(value) ? [[name, text(record(value).event)]] : []))
  const fixed = entries.filter(([, value]) => !isOfEvent(value))
  const fault = faultAt('/set')
  const put = (triggers: Named | undefined, values: Named | undefined) => {
    const named = Object.entries(triggers ?? {}).map(([name, property]) => [name, { event: property }])
    change({ set: { ...Object.fromEntries(named), ...values } })
  }
  const [triggers, values] = [Object.fromEntries(ofEvent), Object.fromEntries(fixed)]
  return (
    <>
      <PairsField
        value={triggers}
        onChange={(next) => put(next, values)}
        nameLabel="Variable"
        namePlaceholder="cart"
        valueLabel="becomes, of what brought them in,"
        removeLabel={(name) => `Remove the variable ${name}`}
        addLabel="From what brought them in"
        follows
      />
      <PairsField
        value={values}
        onChange={(next) =>
          put(triggers, next && Object.fromEntries(Object.entries(next).map(([name, value]) => [name, typed(value)])))
        }
        nameLabel="Variable"
        namePlaceholder="offer"
        valueLabel="becomes"
        removeLabel={(name) => `Remove the variable ${name}`}
        addLabel="To a fixed value"
      />
      {fault && <p className="field-error">{sentence(fault)}</p>}
      <p className="soft">
        Rules know a variable by its name, mails as {'{{ var.cart }}'}. It is gone when the person leaves.
      </p>
    </>
  )
}

const isOfEvent = (value: unknown) => typeof value === 'object' && value !== null

/** Text that is a number, and is shown as the same text again, is one. */
function typed(value: unknown): unknown {
  if (typeof value !== 'string') return value
  return value !== '' && Number.isFinite(Number(value)) && String(Number(value)) === value ? Number(value) : value
}
