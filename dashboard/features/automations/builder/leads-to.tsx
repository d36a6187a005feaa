import { Select } from '../../../ui/controls.tsx'
import { END } from '../flow.ts'
import type { Edge } from '../flow-tree.ts'
import { type Definition, leadTo, nodesOf, withoutUnreached } from './edit-flow.ts'
import { stepName, stepsInOrder } from './step-name.ts'
import type { Builder } from './use-builder.ts'

type Props = { builder: Builder; label: string; edges: readonly Edge[]; to: string }

/** Where a way goes on: at a step that is there already too, which two ways then share. */
export function LeadsTo({ builder, label, edges, to }: Props) {
  const { definition, edit } = builder
  const own = edges.map(({ from }) => from)
  const lead = (target: string) => {
    const next: Definition = withoutUnreached(leadTo(definition, edges, target))
    const gone = Object.keys(nodesOf(definition)).length - Object.keys(nodesOf(next)).length
    edit(next, {
      told: gone === 0 ? 'Leads elsewhere now.' : `Leads elsewhere now. Steps that nothing led to are gone: ${gone}.`,
    })
  }
  return (
    <Select
      id={`leads-${edges.map(({ from, way }) => `${from}-${way}`).join('-')}`}
      label={label}
      value={to}
      options={[
        { value: END, label: 'The end' },
        ...stepsInOrder(definition)
          .filter((id) => !own.includes(id))
          .map((id) => ({ value: id, label: stepName(definition, id, builder.referenceName) })),
      ]}
      onChange={(event) => lead(event.currentTarget.value)}
    />
  )
}
