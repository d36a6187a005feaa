import { lazyPart } from '../../../lib/load-part.ts'
import type { FlowNode } from '../flow-node.ts'
import { DelayForm } from './delay-form.tsx'
import { changeStep } from './edit-flow.ts'
import { faultAt, type PlacedFault } from './fault-places.ts'
import type { Builder } from './use-builder.ts'
import { WaysForm } from './ways-form.tsx'

const EmailForm = lazyPart(() => import('./email-form.tsx'))
const EffectForm = lazyPart(() => import('./effect-form.tsx'))

export type FormProps = {
  node: FlowNode
  faults: readonly PlacedFault[]
  /** What the server says of a field of the step. */
  faultAt: (pointer: string) => string | undefined
  /** Undefined takes a field away. */
  change: (fields: Readonly<Record<string, unknown>>) => void
}

/** The form of a step, by its kind. */
export function StepForm({
  id,
  node,
  rowKey,
  builder,
}: {
  id: string
  node: FlowNode
  rowKey: string
  builder: Builder
}) {
  const faults = builder.faults.filter(({ key }) => key === rowKey)
  const props: FormProps = {
    node,
    faults,
    faultAt: (pointer) => faultAt(faults, pointer),
    change: (fields) =>
      builder.edit(changeStep(builder.definition, id, fields), { group: `${id} ${Object.keys(fields).join()}` }),
  }
  switch (node.type) {
    case 'email':
      return <EmailForm {...props} />
    case 'delay':
      return <DelayForm {...props} />
    case 'wait':
    case 'branch':
    case 'split':
      return <WaysForm {...props} id={id} builder={builder} />
    case 'tag':
    case 'field':
    case 'emit':
    case 'webhook':
    case 'notify':
    case 'set':
    case 'enroll':
    case 'leave':
      return <EffectForm {...props} own={builder.id} />
    case 'goal':
      return <p className="soft">Whoever comes here counts as won. The goal itself is part of the settings.</p>
    case 'end':
      return <p className="soft">Whoever comes here is through.</p>
    default:
      return <p className="soft">This step is written by the API; it stays as it is.</p>
  }
}
