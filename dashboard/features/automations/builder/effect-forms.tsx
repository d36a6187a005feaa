import { useId } from 'react'
import { useCan } from '../../../lib/permissions.ts'
import { sentence } from '../../../lib/sentence.ts'
import { useSite } from '../../../lib/use-site.ts'
import { ActSelect } from '../../../ui/act-select.tsx'
import { IconButton, Select } from '../../../ui/controls.tsx'
import { TrashIcon } from '../../../ui/icons.tsx'
import { Link } from '../../../ui/link.tsx'
import { NamesField } from '../../../ui/names-field.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { EventNames } from '../../segments/field-picker.tsx'
import { record, text } from '../flow-node.ts'
import classes from './builder.module.css'
import { PairsField } from './pairs-field.tsx'
import type { FormProps } from './step-form.tsx'

const KNOWN_MAX = 500

export function TagForm({ node, faultAt, change }: FormProps) {
  const tags = useSite('GET /tags', { query: { pageSize: KNOWN_MAX } })
  const known = (tags.data?.items ?? []).map(({ name }) => name)
  const names = (key: 'add' | 'remove') => (Array.isArray(node[key]) ? (node[key] as string[]) : [])
  const put = (key: 'add' | 'remove') => (next: string[]) => change({ [key]: next.length === 0 ? undefined : next })
  return (
    <>
      <NamesField
        label="Tags to add"
        placeholder="customer"
        value={names('add')}
        known={known}
        error={faultAt('/add')}
        onChange={put('add')}
      />
      <NamesField
        label="Tags to remove"
        value={names('remove')}
        known={known}
        error={faultAt('/remove')}
        onChange={put('remove')}
      />
    </>
  )
}

export function FieldForm({ node, faultAt, change }: FormProps) {
  const can = useCan()
  const fields = useSite(
    'GET /custom-fields',
    { query: { pageSize: KNOWN_MAX } },
    { enabled: can('custom_fields:read') },
  )
  const set = Object.entries(record(node.set))
  const put = (next: readonly (readonly [string, unknown])[]) => change({ set: Object.fromEntries(next) })
  const known = (fields.data?.items ?? []).map(({ key, name, type }) => ({ value: key, label: name, type }))
  const free = known.filter(({ value }) => !set.some(([key]) => key === value))
  const typeOf = (key: string) => known.find(({ value }) => value === key)?.type
  return (
    <>
      {set.map(([key, value]) => {
        const fault = faultAt(`/set/${key}`)
        const label = known.find((one) => one.value === key)?.label ?? key
        return (
          <div key={key} className={classes.line}>
            <TextField
              label={label}
              value={text(value)}
              error={fault && sentence(fault)}
              onChange={(event) => {
                const typed = typedValue(event.currentTarget.value, typeOf(key))
                put(set.map((pair) => (pair[0] === key ? [key, typed] : pair)))
              }}
            />
            <IconButton
              label={`Do not set ${label}`}
              icon={TrashIcon}
              onClick={() => put(set.filter(([one]) => one !== key))}
            />
          </div>
        )
      })}
      {free.length > 0 && (
        <ActSelect
          id="field-to-set"
          label="Set a custom field"
          asks="Choose one"
          error={set.length === 0 ? faultAt('/set') : undefined}
          options={free}
          onTake={(key) => put([...set, [key, '']])}
        />
      )}
      {known.length === 0 && fields.isSuccess && <p className="soft">There are no custom fields yet.</p>}
    </>
  )
}

/**
 * Typed text as a value of a field. Text that would be shown otherwise as a number, such as "19." on its way to 19.99, stays
 * text: the server makes a number of it without loss, or says that it is none.
 */
function typedValue(typed: string, type: string | undefined): unknown {
  if (type === 'number' && Number.isFinite(Number(typed)) && String(Number(typed)) === typed) return Number(typed)
  if (type === 'boolean' && (typed === 'true' || typed === 'false')) return typed === 'true'
  return typed
}

export function EmitForm({ node, faultAt, change }: FormProps) {
  const listId = useId()
  const fault = faultAt('/event')
  return (
    <>
      <TextField
        label="Event"
        placeholder="trial.nudged"
        value={text(node.event)}
        list={listId}
        error={fault && sentence(fault)}
        onChange={(event) => change({ event: event.currentTarget.value })}
      />
      <EventNames id={listId} />
      <Properties node={node} change={change} />
    </>
  )
}

/** The endpoint that is called, and what it is told beside the person and what brought them in. */
export function WebhookForm({ node, faultAt, change }: FormProps) {
  const can = useCan()
  const endpoints = useSite('GET /webhooks', { query: { pageSize: KNOWN_MAX } }, { enabled: can('webhooks:read') })
  const known = (endpoints.data?.items ?? []).map(({ id, url }) => ({ value: id, label: url }))
  const value = text(node.endpoint)
  const kept = value === '' || known.some((one) => one.value === value) ? [] : [{ value, label: `Endpoint ${value}` }]
  const fault = faultAt('/endpoint')
  return (
    <>
      <Select
        id="called-endpoint"
        label="Endpoint"
        value={value}
        error={fault && sentence(fault)}
        options={[{ value: '', label: 'Choose one' }, ...kept, ...known]}
        onChange={(event) => change({ endpoint: event.currentTarget.value })}
      />
      {known.length === 0 && endpoints.isSuccess && (
        <p className="soft">
          There are no endpoints yet: <Link to="/webhooks">add one</Link>.
        </p>
      )}
      <Properties node={node} change={change} />
    </>
  )
}

function Properties({ node, change }: Pick<FormProps, 'node' | 'change'>) {
  return (
    <PairsField
      value={record(node.properties)}
      onChange={(properties) => change({ properties })}
      nameLabel="Property"
      valueLabel="Value"
      removeLabel={(name) => `Remove the property ${name}`}
      addLabel="Property"
    />
  )
}

/** The automation that a person comes into, or leaves. */
export function OtherForm({ node, faultAt, change, own }: FormProps & { own: string }) {
  const automations = useSite('GET /automations', { query: { pageSize: KNOWN_MAX } })
  const others = (automations.data?.items ?? []).filter(({ id, status }) => id !== own && status !== 'stopped')
  const fault = faultAt('/automation')
  return (
    <Select
      id="other-automation"
      label="Automation"
      value={text(node.automation)}
      error={fault && sentence(fault)}
      options={[{ value: '', label: 'Choose one' }, ...others.map(({ id, name }) => ({ value: id, label: name }))]}
      onChange={(event) => change({ automation: event.currentTarget.value })}
    />
  )
}
