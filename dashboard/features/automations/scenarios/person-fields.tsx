import { sentence } from '../../../lib/sentence.ts'
import { Checkbox, Select } from '../../../ui/controls.tsx'
import { NamesField } from '../../../ui/names-field.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { nodesOf } from '../builder/edit-flow.ts'
import { PairsField } from '../builder/pairs-field.tsx'
import { stepName } from '../builder/step-name.ts'
import { waysListed } from '../builder/step-ways.ts'
import type { Builder } from '../builder/use-builder.ts'
import { record, text } from '../flow-node.ts'
import { put, type Scenario } from './scenario.ts'
import classes from './scenarios.module.css'

type Props = {
  scenario: Scenario
  builder: Builder
  fault: string | undefined
  onChange: (scenario: Scenario) => void
}

/** Who it happens to: somebody who wants marketing and has nothing, where nothing else is said. */
export function PersonFields({ scenario, builder, fault, onChange }: Props) {
  const person = record(scenario.person)
  const change = (part: Record<string, unknown>) => onChange(put(scenario, 'person', part))
  const tags = Array.isArray(person.tags) ? (person.tags as string[]) : []
  const splits = Object.entries(nodesOf(builder.definition)).filter(([, node]) => node.type === 'split')
  return (
    <details className={classes.person}>
      <summary>The person</summary>
      <div className={classes.personFields}>
        {fault !== undefined && (
          <p className="field-error" role="alert">
            {sentence(`it ${fault}`)}
          </p>
        )}
        <TextField
          label="Time zone"
          placeholder="As the automation"
          value={text(person.timeZone)}
          onChange={({ currentTarget }) =>
            change({ timeZone: currentTarget.value === '' ? undefined : currentTarget.value })
          }
        />
        <NamesField
          label="Tags at the start"
          value={tags}
          known={[]}
          onChange={(next) => change({ tags: next.length === 0 ? undefined : next })}
        />
        <PairsField
          value={record(person.fields)}
          nameLabel="Field"
          namePlaceholder="custom:plan"
          valueLabel="Value"
          addLabel="Add a field"
          removeLabel={(name) => `Remove the field ${name}`}
          onChange={(fields) => change({ fields })}
        />
        <Checkbox
          label="Suppressed: gets no mail"
          checked={person.suppressed === true}
          onChange={({ currentTarget }) => change({ suppressed: currentTarget.checked || undefined })}
        />
        <Checkbox
          label="In the holdout group: gets nothing"
          checked={person.heldOut === true}
          onChange={({ currentTarget }) => change({ heldOut: currentTarget.checked || undefined })}
        />
        {splits.map(([id, node]) => (
          <Select
            key={id}
            id={`split-${id}`}
            label={`Way at ${stepName(builder.definition, id, builder.referenceName)}`}
            options={waysListed(node).map((_, way) => ({ value: String(way), label: `Part ${way + 1}` }))}
            value={String(record(person.split)[id] ?? 0)}
            onChange={({ currentTarget }) =>
              change({ split: { ...record(person.split), [id]: Number(currentTarget.value) } })
            }
          />
        ))}
      </div>
    </details>
  )
}
