import { useState } from 'react'
import { Button, Select } from '../../../ui/controls.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { type Condition, conditionOf, conditionText } from './block-rows.ts'
import classes from './blocks.module.css'
import { type Edit, removeCondition, setCondition } from './edit-mail.ts'
import type { LiquidNode, Mail } from './read-mail.ts'

const OPERATORS = [
  { value: '==', label: 'is' },
  { value: '!=', label: 'is not' },
  { value: 'contains', label: 'contains' },
  { value: '>', label: 'is more than' },
  { value: '>=', label: 'is at least' },
  { value: '<', label: 'is less than' },
  { value: '<=', label: 'is at most' },
]

type Props = { mail: Mail; node: LiquidNode; onEdit: (edit: Edit) => void }

/** For whom the blocks between two marks are there: a form for one comparison, the text itself for more. */
export function ConditionPanel({ mail, node, onEdit }: Props) {
  const source = mail.source.slice(node.begin, node.end)
  const condition = conditionOf(source)
  const isOpening = node.partner !== undefined && node.partner.begin > node.begin
  return (
    <section className={classes.panel} aria-label="Condition, chosen">
      {condition ? (
        <ConditionForm
          condition={condition}
          onChange={(text) => onEdit({ ...setCondition(node, text), chosen: node.begin })}
        />
      ) : (
        <p>
          <code>{source}</code> is written in the code.
        </p>
      )}
      {isOpening && (node.word === 'if' || node.word === 'unless') && (
        <div>
          <Button small onClick={() => onEdit(removeCondition(mail, node))}>
            Show it to everybody
          </Button>
        </div>
      )}
    </section>
  )
}

function ConditionForm({ condition, onChange }: { condition: Condition; onChange: (text: string) => void }) {
  const [held, setHeld] = useState<Condition>()
  const shown = held ?? condition
  const change = (part: Partial<Condition>) => {
    const next = { ...shown, ...part }
    const text = conditionText(next)
    setHeld(text === undefined ? next : undefined)
    if (text !== undefined) onChange(text)
  }
  return (
    <div className={classes.fields}>
      <TextField
        label="Value of the reader"
        value={shown.variable}
        error={held && 'Letters, digits and _ for the value; no quotes in what it is compared with.'}
        onChange={(event) => change({ variable: event.currentTarget.value })}
      />
      <Select
        label="Compared"
        value={shown.operator}
        onChange={(event) => change({ operator: event.currentTarget.value })}
        options={OPERATORS}
      />
      <TextField label="With" value={shown.value} onChange={(event) => change({ value: event.currentTarget.value })} />
    </div>
  )
}
