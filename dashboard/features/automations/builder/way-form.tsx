import { sentence } from '../../../lib/sentence.ts'
import { TextField } from '../../../ui/text-field.tsx'
import { type FlowNode, record, text } from '../flow-node.ts'
import { faultAt } from './fault-places.ts'
import { stepKey } from './outline-rows.ts'
import { RunRule } from './run-rule.tsx'
import { SignalFields } from './signal-fields.tsx'
import { changeWay, waysListed } from './step-ways.ts'
import type { Builder } from './use-builder.ts'
import { variablesOf } from './variables.ts'

const PERCENT_OF = 100

type Props = { id: string; node: FlowNode; at: number; builder: Builder }

/** Who takes a way out of a step: those for whom a rule holds or an event happened, or a part of all. */
export function WayForm({ id, node, at, builder }: Props) {
  const { definition, edit } = builder
  const faults = builder.faults.filter(({ key }) => key === stepKey(id))
  const way = waysListed(node)[at] ?? {}
  const change = (part: Record<string, unknown>) =>
    edit(changeWay(definition, id, at, part), { group: `${id} ${at} ${Object.keys(part).join()}` })
  const rule = (key: 'for' | 'ways') => (
    <RunRule
      rule={record(way.if)}
      pointer={`/${key}/${at}/if`}
      faults={faults}
      definition={definition}
      onChange={(changed) => change({ if: changed })}
    />
  )
  if (node.type === 'wait') {
    const props = { label: 'Event', value: way, pointer: `/for/${at}`, faults, onChange: change }
    return <SignalFields {...props} rule={rule('for')} variables={variablesOf(definition)} />
  }
  if (node.type === 'split') {
    const fault = faultAt(faults, `/ways/${at}/weight`)
    return (
      <TextField
        label={`Part of way ${at + 1}`}
        type="number"
        min={0}
        max={100}
        step="0.01"
        value={text(Number(way.weight) / PERCENT_OF)}
        rightSection="%"
        error={fault && sentence(fault)}
        onChange={(event) => change({ weight: Math.round(Number(event.currentTarget.value) * PERCENT_OF) })}
      />
    )
  }
  return rule('ways')
}
