import { TextArea } from '../../../ui/text-area.tsx'
import { RuleGroup } from '../../segments/rule-editor.tsx'
import { type GroupNode, parseTree, pathOf } from '../../segments/rule-tree.ts'
import { useRuleFields } from '../../segments/use-rule-fields.ts'
import { flowOf } from '../flow.ts'
import { nodeText } from '../node-words.ts'
import { useReferenceNames } from '../reference-names.ts'
import type { Definition } from './edit-flow.ts'
import type { PlacedFault } from './fault-places.ts'
import { RuleHoldsNow } from './held-now.tsx'
import { variablesOf } from './variables.ts'

type Props = {
  rule: Readonly<Record<string, unknown>>
  pointer: string
  faults: readonly PlacedFault[]
  definition: Definition
  onChange: (rule: unknown) => void
}

/** A rule as segments have it, which may ask for the event that brought the person in, and for clicks in mails of this automation. */
export function RunRule({ rule, pointer, faults, definition, onChange }: Props) {
  const referenceName = useReferenceNames(definition)
  const mails = [...flowOf(definition).nodes].filter(([, { type }]) => type === 'email')
  const fields = useRuleFields({
    properties: true,
    variables: variablesOf(definition),
    mails: mails.map(([id, node]) => ({ value: id, label: nodeText(node, referenceName) })),
  })
  const tree = parseTree(JSON.stringify(rule))
  const own = faults
    .filter((fault) => fault.pointer.startsWith(pointer))
    .map((fault) => ({ path: pathOf(fault.pointer), detail: fault.detail }))
  if (tree === undefined) {
    return (
      <TextArea
        label="Rule, as JSON"
        defaultValue={JSON.stringify(rule, null, 2)}
        onBlur={(event) => onChange(parsed(event.currentTarget.value) ?? rule)}
      />
    )
  }
  return (
    <>
      <RuleGroup
        group={tree}
        path={[]}
        tree={tree}
        fields={fields}
        faults={own}
        readOnly={false}
        onChange={(next: GroupNode) => onChange(next)}
      />
      <RuleHoldsNow rule={tree} />
    </>
  )
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
