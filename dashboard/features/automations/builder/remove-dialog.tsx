import { useState } from 'react'
import { countText } from '../../../lib/format.ts'
import { ChoiceField } from '../../../ui/choice.tsx'
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx'
import { flowOf } from '../flow.ts'
import { wayText } from '../node-words.ts'
import { blockOf, nodesOf, removeStep } from './edit-flow.ts'
import { waysOut } from './step-ways.ts'
import type { Builder } from './use-builder.ts'
import type { Steps } from './use-steps.ts'

const ALL = 'all'

type Props = { id: string; builder: Builder; steps: Steps; onClose: () => void }

/** Asks what stays of all that hangs on a step. */
export default function RemoveDialog({ id, builder: { definition, referenceName }, steps, onClose }: Props) {
  const [keep, setKeep] = useState(ALL)
  const node = flowOf(definition).nodes.get(id)
  if (node === undefined) return null
  const below = blockOf(definition, id).ids.size - 1
  const goneBy = (way: string) =>
    Object.keys(nodesOf(definition)).length - Object.keys(nodesOf(removeStep(definition, id, way))).length
  return (
    <ConfirmDialog
      title={`Remove “${steps.nameOf(id)}”`}
      opened
      onClose={onClose}
      action="Remove"
      danger
      onConfirm={async () => steps.remove(id, keep === ALL ? undefined : keep)}
    >
      <ChoiceField
        label="What hangs on it"
        value={keep}
        onChange={setKeep}
        choices={[
          { value: ALL, label: 'Goes with it', description: `${countText(below, 'step')} more.` },
          ...waysOut(definition, id).map(({ way }) => ({
            value: way,
            label: `Keep the way “${wayText(node, way, referenceName)}”`,
            description: `${countText(goneBy(way), 'step')} in all are removed.`,
          })),
        ]}
      />
    </ConfirmDialog>
  )
}
