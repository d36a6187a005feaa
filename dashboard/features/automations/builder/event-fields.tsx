import { useId } from 'react'
import { sentence } from '../../../lib/sentence.ts'
import { Button, IconButton, Select } from '../../../ui/controls.tsx'
import { PlusIcon, TrashIcon } from '../../../ui/icons.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { EventNames } from '../../segments/field-picker.tsx'
import { list, record, text } from '../flow-node.ts'
import classes from './builder.module.css'
import { faultAt, type PlacedFault } from './fault-places.ts'
import { PairsField } from './pairs-field.tsx'

type EventJson = Readonly<Record<string, unknown>>
export type EventProps = {
  label: string
  value: EventJson
  /** Of the event: `/for/0`. */
  pointer: string
  faults: readonly PlacedFault[]
  onChange: (change: EventJson) => void
  /** Whether it may have to be about the same thing as what brought the person in. */
  matches?: boolean
}

/** An event by its name, with what its properties have to be. */
export function EventFields({ label, value, pointer, faults, onChange, matches = true }: EventProps) {
  const listId = useId()
  const fault = faultAt(faults, `${pointer}/event`)
  return (
    <>
      <TextField
        label={label}
        placeholder="order.paid"
        value={text(value.event)}
        maxLength={200}
        list={listId}
        error={fault && sentence(fault)}
        onChange={(event) => onChange({ event: event.currentTarget.value })}
      />
      <EventNames id={listId} />
      <WhereFields where={list(value.where)} pointer={`${pointer}/where`} faults={faults} onChange={onChange} />
      <ProofField value={value} onChange={onChange} />
      {/* The cart that was paid is the cart that brought the person in. */}
      {matches && (
        <PairsField
          value={record(value.match)}
          onChange={(match) => onChange({ match })}
          nameLabel="Its property"
          namePlaceholder="cartId"
          valueLabel="is, of what brought them in,"
          removeLabel={(name) => `Remove the match of ${name}`}
          addLabel="Only about the same thing"
          max={MATCHES_MAX}
          follows
        />
      )}
    </>
  )
}

const OPERATORS = [
  { value: '=', label: 'is' },
  { value: '!=', label: 'is not' },
  { value: '>=', label: 'is at least' },
  { value: '>', label: 'is more than' },
  { value: '<=', label: 'is at most' },
  { value: '<', label: 'is less than' },
  { value: 'contains', label: 'contains' },
  { value: 'beginsWith', label: 'begins with' },
  { value: 'in', label: 'is one of' },
  { value: 'notNull', label: 'is there' },
  { value: 'null', label: 'is not there' },
]
const BARE = ['null', 'notNull']
const FILTERS_MAX = 10
const MATCHES_MAX = 5

const PROOFS = [
  { value: 'claimed', label: 'that the page claims it' },
  { value: 'link', label: 'a link of a mail to them' },
  { value: 'confirmed', label: 'that they confirmed it' },
  { value: 'signed', label: "your server's signature" },
]

/** How well it has to be proven whose an event of a browser is; a button as long as nothing is said. */
function ProofField({ value, onChange }: Pick<EventProps, 'value' | 'onChange'>) {
  const id = useId()
  if (text(value.minProof) === '') {
    return (
      <div>
        <Button small kind="quiet" icon={PlusIcon} onClick={() => onChange({ minProof: 'confirmed' })}>
          Only where it is proven whose it is
        </Button>
      </div>
    )
  }
  return (
    <div className={classes.line}>
      <Select
        id={`${id}-proof`}
        label="Of a browser it takes at least"
        value={text(value.minProof)}
        options={PROOFS}
        onChange={({ currentTarget }) => onChange({ minProof: currentTarget.value })}
      />
      <IconButton label="Ask for no proof" icon={TrashIcon} onClick={() => onChange({ minProof: undefined })} />
    </div>
  )
}

type Filter = Record<string, unknown>

function WhereFields({
  where,
  pointer,
  faults,
  onChange,
}: {
  where: readonly Filter[]
  pointer: string
  faults: readonly PlacedFault[]
  onChange: (change: EventJson) => void
}) {
  const put = (filters: readonly Filter[]) => onChange({ where: filters.length === 0 ? undefined : filters })
  const change = (at: number, part: Filter) =>
    put(where.map((filter, index) => (index === at ? { ...filter, ...part } : filter)))
  return (
    <>
      {where.map((filter, at) => {
        const operator = text(filter.operator)
        const known = OPERATORS.some(({ value }) => value === operator)
        const fault = faultAt(faults, `${pointer}/${at}`)
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a condition is known by its place
          <div key={at} className={classes.line}>
            <TextField
              aria-label={`Property of condition ${at + 1}`}
              placeholder="total"
              value={text(filter.property)}
              error={fault && sentence(fault)}
              onChange={(event) => change(at, { property: event.currentTarget.value })}
            />
            <Select
              id={`where-${pointer.replaceAll('/', '-')}-${at}`}
              label={`How condition ${at + 1} compares`}
              hideLabel
              value={operator}
              options={known ? OPERATORS : [...OPERATORS, { value: operator, label: operator }]}
              onChange={(event) => change(at, { operator: event.currentTarget.value })}
            />
            {!BARE.includes(operator) && (
              <TextField
                aria-label={`Value of condition ${at + 1}`}
                placeholder="20"
                value={Array.isArray(filter.value) ? filter.value.join(',') : text(filter.value)}
                onChange={(event) => change(at, { value: event.currentTarget.value })}
              />
            )}
            <IconButton
              label={`Remove condition ${at + 1}`}
              icon={TrashIcon}
              onClick={() => put(where.filter((_, index) => index !== at))}
            />
          </div>
        )
      })}
      {where.length < FILTERS_MAX && (
        <div>
          <Button
            small
            kind="quiet"
            icon={PlusIcon}
            onClick={() => put([...where, { property: '', operator: '>=', value: '' }])}
          >
            Only where a property is so
          </Button>
        </div>
      )}
    </>
  )
}
