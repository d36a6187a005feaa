import { useCan } from '../../../lib/permissions.ts'
import { sentence } from '../../../lib/sentence.ts'
import { useSite } from '../../../lib/use-site.ts'
import { Button, IconButton, Select } from '../../../ui/controls.tsx'
import { PlusIcon, TrashIcon } from '../../../ui/icons.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { Switch } from '../../../ui/switch.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { list, record, text } from '../flow-node.ts'
import classes from './builder.module.css'
import { DurationField } from './duration-field.tsx'
import { changePart } from './edit-flow.ts'
import { EventFields } from './event-fields.tsx'
import { faultAt } from './fault-places.ts'
import { SignalHeldNow } from './held-now.tsx'
import { SETTINGS_KEY } from './outline-rows.ts'
import { SignalFields } from './signal-fields.tsx'
import { StillNeeded } from './still-needed.tsx'
import type { Builder } from './use-builder.ts'

const EXITS_MAX = 20
const CLASSES = [
  { value: 'marketing', label: 'Marketing: only to those who want it' },
  { value: 'service', label: 'Service: mail that people need in any case' },
]

const PRIORITIES = [
  { value: 'high', label: 'Before others' },
  { value: 'normal', label: 'As others' },
  { value: 'low', label: 'Behind others' },
]

type Json = Readonly<Record<string, unknown>>
const without = (value: Json) => Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined))

/** The automation as a whole: its name, who leaves it and when, what it is for, and from whom its mails come. */
export default function SettingsForm({ builder }: { builder: Builder }) {
  const { definition, edit, draft } = builder
  const faults = builder.faults.filter(({ key }) => key === SETTINGS_KEY)
  const put = (change: Json, group: string) => edit(changePart(definition, change), { group: `settings ${group}` })
  const at = (pointer: string) => {
    const fault = faultAt(faults, pointer)
    return fault && sentence(fault)
  }
  return (
    <Panel title="The whole automation">
      <div className={classes.fields}>
        <TextField
          label="Name"
          value={draft.value.name}
          maxLength={200}
          error={at('/name')}
          onChange={(event) => draft.change({ name: event.currentTarget.value })}
        />
        <Exits builder={builder} />
        <Goal builder={builder} />
        <Select
          id="mail-class"
          label="Its mails are"
          value={text(definition.class) || 'marketing'}
          options={CLASSES}
          onChange={(event) => put({ class: event.currentTarget.value }, 'class')}
        />
        {(text(definition.class) || 'marketing') === 'marketing' && (
          <Select
            id="mail-priority"
            label="Where a person has room for one mail alone, its mails go"
            value={text(definition.priority) || 'normal'}
            options={PRIORITIES}
            onChange={({ currentTarget: { value } }) =>
              put({ priority: value === 'normal' ? undefined : value }, 'priority')
            }
          />
        )}
        <Sender builder={builder} />
        <TextField
          label="Zone of people who have none"
          placeholder="UTC"
          value={text(definition.defaultZone)}
          error={at('/defaultZone')}
          onChange={(event) => put({ defaultZone: event.currentTarget.value || undefined }, 'zone')}
        />
      </div>
    </Panel>
  )
}

function Exits({ builder }: { builder: Builder }) {
  const { definition, edit, faults } = builder
  const exits = list(definition.exit)
  const put = (next: readonly Json[], group?: string) =>
    edit(changePart(definition, { exit: next.length === 0 ? undefined : next }), group ? { group } : {})
  return (
    <fieldset className={classes.part}>
      <legend className="field-label">Who leaves, wherever they stand</legend>
      {exits.map((exit, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an exit is known by its place
        <div key={at} className={classes.part}>
          <div className={classes.partHead}>
            <span>Exit {at + 1}</span>
            <IconButton
              label={`Remove exit ${at + 1}`}
              icon={TrashIcon}
              onClick={() => put(exits.filter((_, index) => index !== at))}
            />
          </div>
          {'event' in exit || 'segment' in exit ? (
            <SignalFields
              label="When this event happens"
              value={exit}
              pointer={`/exit/${at}`}
              faults={faults}
              onChange={(change) =>
                put(
                  exits.map((one, index) => (index === at ? without({ ...one, ...change }) : one)),
                  `exit ${at} ${Object.keys(change).join()}`,
                )
              }
            />
          ) : (
            <p className="soft">{JSON.stringify(exit)}</p>
          )}
          <StillNeeded builder={builder} rowKey={SETTINGS_KEY} pointer={`/exit/${at}`} />
        </div>
      ))}
      {exits.length < EXITS_MAX && (
        <div>
          <Button
            small
            kind="quiet"
            icon={PlusIcon}
            onClick={() => {
              builder.begin(SETTINGS_KEY, `/exit/${exits.length}`)
              put([...exits, { event: '' }])
            }}
          >
            Exit
          </Button>
        </div>
      )}
    </fieldset>
  )
}

function Goal({ builder }: { builder: Builder }) {
  const { definition, edit, faults } = builder
  const goal = record(definition.goal)
  const isSet = definition.goal !== undefined && definition.goal !== null
  const put = (next: Json | undefined, group?: string) =>
    edit(changePart(definition, { goal: next && without(next) }), group ? { group: `goal ${group}` } : {})
  return (
    <>
      <Switch
        label="It has a goal"
        description="An event that counts as success, once for each who came in."
        checked={isSet}
        onChange={({ currentTarget: { checked } }) => {
          if (checked) builder.begin(SETTINGS_KEY, '/goal')
          put(checked ? { event: '', within: 'P30D' } : undefined)
        }}
      />
      {isSet && (
        <div className={classes.part}>
          <EventFields
            label="The goal is this event"
            value={goal}
            pointer="/goal"
            faults={faults}
            onChange={(change) => put({ ...goal, ...change }, Object.keys(change).join())}
          />
          <StillNeeded builder={builder} rowKey={SETTINGS_KEY} pointer="/goal" />
          <SignalHeldNow value={goal} />
          <TextField
            label="Summed up"
            description="A property of it that is a number, such as what was paid."
            placeholder="total"
            value={text(goal.value)}
            onChange={(event) => put({ ...goal, value: event.currentTarget.value || undefined }, 'value')}
          />
          <DurationField
            label="Counted within"
            value={text(goal.within) || 'P30D'}
            fault={faultAt(faults, '/goal/within')}
            onChange={(within) => put({ ...goal, within }, 'within')}
          />
          <Switch
            label="Whoever reaches it is through"
            checked={goal.exit === true}
            onChange={(event) => put({ ...goal, exit: event.currentTarget.checked ? true : undefined })}
          />
        </div>
      )}
    </>
  )
}

function Sender({ builder: { definition, edit, faults } }: { builder: Builder }) {
  const can = useCan()
  const integrations = useSite('GET /integrations', { query: { pageSize: 100 } }, { enabled: can('integrations:read') })
  const sender = record(definition.sender)
  const fault = faultAt(faults, '/sender')
  const put = (change: Json) => {
    const next = without({ ...sender, ...change })
    const isNone = Object.values(next).every((value) => value === null)
    edit(changePart(definition, { sender: isNone ? undefined : next }), {
      group: `sender ${Object.keys(change).join()}`,
    })
  }
  return (
    <div className={classes.part}>
      <Select
        id="sender-integration"
        label="Sent by"
        value={text(sender.integrationId)}
        error={fault && sentence(fault)}
        options={[
          { value: '', label: 'The default integration' },
          ...(integrations.data?.items ?? []).map(({ id, name }) => ({ value: id, label: name })),
        ]}
        onChange={(event) => put({ integrationId: event.currentTarget.value || undefined })}
      />
      <TextField
        label="From, name"
        placeholder="That of the integration"
        value={text(sender.fromName)}
        onChange={(event) => put({ fromName: event.currentTarget.value || undefined })}
      />
      <TextField
        label="From, address"
        type="email"
        placeholder="That of the integration"
        value={text(sender.fromEmail)}
        onChange={(event) => put({ fromEmail: event.currentTarget.value || undefined })}
      />
    </div>
  )
}
