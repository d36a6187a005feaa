import { sentence } from '../../../lib/sentence.ts'
import { Button, IconButton, Select } from '../../../ui/controls.tsx'
import { PlusIcon, SettingsIcon, TrashIcon } from '../../../ui/icons.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { Switch } from '../../../ui/switch.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { list, record, text } from '../flow-node.ts'
import classes from './builder.module.css'
import { DurationField } from './duration-field.tsx'
import { changePart } from './edit-flow.ts'
import { triggerText } from './enter-words.ts'
import { faultAt } from './fault-places.ts'
import { ENTER_KEY } from './outline-rows.ts'
import { RunRule } from './run-rule.tsx'
import { SignalFields } from './signal-fields.tsx'
import { newRule } from './step-ways.ts'
import { StillNeeded } from './still-needed.tsx'
import { DateTriggerFields, NEW_DATE, NEW_SCHEDULE, ScheduleFields } from './timed-trigger-fields.tsx'
import type { Builder } from './use-builder.ts'

const TRIGGERS_MAX = 20
const SHARES_OF_PERCENT = 100
const MODES = [
  { value: 'once', label: 'Once in their life' },
  { value: 'after_end', label: 'Again, when they are through' },
  { value: 'gap', label: 'Again, but not within a time' },
  { value: 'every', label: 'Every time, also while inside' },
  { value: 'restart', label: 'Every time, and begin anew' },
]

/** How people come in: by what, who of them, and how often. */
export function EnterForm({ builder, onSettings }: { builder: Builder; onSettings: () => void }) {
  const { definition, edit } = builder
  const faults = builder.faults.filter(({ key }) => key === ENTER_KEY)
  const enter = record(definition.enter)
  const [on, again] = [list(enter.on), record(enter.again)]
  const put = (change: Record<string, unknown>, group?: string) => {
    const next = Object.fromEntries(Object.entries({ ...enter, ...change }).filter(([, value]) => value !== undefined))
    edit(changePart(definition, { enter: next }), group === undefined ? {} : { group: `enter ${group}` })
  }
  const putTrigger = (at: number, change: Record<string, unknown>) =>
    put(
      {
        on: on.map((trigger, index) =>
          index === at
            ? Object.fromEntries(Object.entries({ ...trigger, ...change }).filter(([, value]) => value !== undefined))
            : trigger,
        ),
      },
      `${at} ${Object.keys(change).join()}`,
    )
  const addTrigger = (trigger: Record<string, unknown>) => {
    builder.begin(ENTER_KEY, `/enter/on/${on.length}`)
    put({ on: [...on, trigger] })
  }
  const putAgain = (change: Record<string, unknown>) => {
    const next = Object.fromEntries(Object.entries({ ...again, ...change }).filter(([, value]) => value !== undefined))
    put({ again: next }, `again ${Object.keys(change).join()}`)
  }
  /** Ways in each of whose occurrences is an entry of its own: beside those alone nothing is to be chosen. */
  const timed = on.filter((trigger) => 'date' in trigger || 'schedule' in trigger).length
  const isTimed = timed > 0 && timed === on.length
  const mode = (!isTimed && text(again.mode)) || 'once'
  const hasManual = on.some(({ manual }) => manual === true)
  return (
    <Panel
      title="People come in"
      actions={
        <Button small icon={SettingsIcon} onClick={onSettings}>
          Exits, goal, sender
        </Button>
      }
    >
      <div className={classes.fields}>
        {on.map((trigger, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a trigger is known by its place
          <div key={at} className={classes.part}>
            <div className={classes.partHead}>
              <span>{trigger.manual === true ? 'By hand, or by a program' : `Way in ${at + 1}`}</span>
              {on.length > 1 && (
                <IconButton
                  label={`Remove way in ${at + 1}`}
                  icon={TrashIcon}
                  onClick={() => put({ on: on.filter((_, index) => index !== at) })}
                />
              )}
            </div>
            {'date' in trigger ? (
              <DateTriggerFields
                {...{ value: trigger, pointer: `/enter/on/${at}`, faults }}
                onChange={(change) => putTrigger(at, change)}
              />
            ) : 'schedule' in trigger ? (
              <ScheduleFields
                {...{ value: trigger, pointer: `/enter/on/${at}`, faults }}
                onChange={(change) => putTrigger(at, change)}
              />
            ) : 'event' in trigger || 'segment' in trigger ? (
              <SignalFields
                label="When this event happens"
                value={trigger}
                pointer={`/enter/on/${at}`}
                faults={faults}
                matches={false}
                onChange={(change) => putTrigger(at, change)}
              />
            ) : (
              <p className="soft">
                {trigger.manual === true
                  ? 'On the page of the automation by “Bring in a segment”, or by a program.'
                  : sentence(triggerText(trigger, builder.referenceName))}
              </p>
            )}
            <StillNeeded builder={builder} rowKey={ENTER_KEY} pointer={`/enter/on/${at}`} />
          </div>
        ))}
        {on.length < TRIGGERS_MAX && (
          <div className={classes.line}>
            <Button small kind="quiet" icon={PlusIcon} onClick={() => addTrigger({ event: '' })}>
              Another way in
            </Button>
            <Button small kind="quiet" icon={PlusIcon} onClick={() => addTrigger(NEW_DATE)}>
              A date of theirs
            </Button>
            <Button small kind="quiet" icon={PlusIcon} onClick={() => addTrigger(NEW_SCHEDULE)}>
              At set times
            </Button>
            {!hasManual && (
              <Button small kind="quiet" icon={PlusIcon} onClick={() => put({ on: [...on, { manual: true }] })}>
                By hand
              </Button>
            )}
          </div>
        )}
        <Switch
          label="Only some of them"
          description="A rule about the person, or about what brought them in."
          checked={enter.if !== undefined && enter.if !== null}
          onChange={({ currentTarget: { checked } }) => {
            if (checked) builder.begin(ENTER_KEY, '/enter/if')
            put({ if: checked ? newRule() : undefined })
          }}
        />
        <StillNeeded builder={builder} rowKey={ENTER_KEY} pointer="/enter/if" />
        {enter.if !== undefined && enter.if !== null && (
          <RunRule
            rule={record(enter.if)}
            pointer="/enter/if"
            faults={faults}
            definition={definition}
            onChange={(rule) => put({ if: rule }, 'if')}
          />
        )}
        {isTimed ? (
          <p className="soft">Each day or time that comes brings them in once.</p>
        ) : (
          <Select
            id="again-mode"
            label="How often somebody comes in"
            description={timed > 0 ? 'Dates and set times count each time.' : undefined}
            value={mode}
            options={MODES}
            onChange={(event) =>
              putAgain({
                mode: event.currentTarget.value,
                gap: event.currentTarget.value === 'gap' ? 'P30D' : undefined,
              })
            }
          />
        )}
        {mode === 'gap' && (
          <DurationField
            label="Not within"
            value={text(again.gap)}
            fault={faultAt(faults, '/enter/again/gap')}
            onChange={(gap) => putAgain({ gap })}
          />
        )}
        {mode !== 'once' && (
          <TextField
            label="Each of these by itself"
            description="A property of the event, such as the id of a cart. Empty: a person at a time."
            placeholder="cartId"
            value={text(again.key)}
            error={faultAt(faults, '/enter/again/key')}
            onChange={(event) => putAgain({ key: event.currentTarget.value || undefined })}
          />
        )}
        <TextField
          label="Held out, to compare with"
          description="A part of the people who get nothing, always the same ones."
          type="number"
          min={0}
          max={100}
          step="0.01"
          rightSection="%"
          value={text(Number(enter.holdout ?? 0) / SHARES_OF_PERCENT)}
          error={faultAt(faults, '/enter/holdout')}
          onChange={(event) => {
            const share = Math.round(Number(event.currentTarget.value) * SHARES_OF_PERCENT)
            put({ holdout: share === 0 ? undefined : share }, 'holdout')
          }}
        />
      </div>
    </Panel>
  )
}
