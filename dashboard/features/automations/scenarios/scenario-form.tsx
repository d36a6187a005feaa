import { useState } from 'react'
import { Button } from '../../../ui/controls.tsx'
import { CheckIcon, PlusIcon } from '../../../ui/icons.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { EventNames } from '../../segments/field-picker.tsx'
import type { Builder } from '../builder/use-builder.ts'
import { text } from '../flow-node.ts'
import { EntryFields } from './entry-fields.tsx'
import { PersonFields } from './person-fields.tsx'
import {
  type Entry,
  EXPECTED_KINDS,
  expectedFrom,
  expectedOf,
  GIVEN_KINDS,
  givenOf,
  mailsOf,
  nameOf,
  newEntry,
  type Scenario,
  startOf,
} from './scenario.ts'
import classes from './scenarios.module.css'
import type { Scenarios } from './use-scenarios.ts'
import { WorkspaceFields } from './workspace-fields.tsx'

type Props = {
  scenario: Scenario
  at: number
  builder: Builder
  scenarios: Scenarios
  onChange: (scenario: Scenario) => void
}

/** One scenario: its person, what happens to them, and what they are to get by it. */
export function ScenarioForm({ scenario, at, builder, scenarios, onChange }: Props) {
  const faults = builder.scenarioFaults.filter(({ pointer }) => pointer.startsWith(`/scenarios/${at}/`))
  const faultAt = (part: string) =>
    faults.find(
      ({ pointer }) => pointer === `/scenarios/${at}${part}` || pointer.startsWith(`/scenarios/${at}${part}/`),
    )?.detail
  const start = startOf(scenario)
  const take = async () => {
    const [result] = (await scenarios.play([scenario])) ?? []
    if (result) onChange({ ...scenario, expect: expectedFrom(result) })
  }
  return (
    <div className={classes.form}>
      <EventNames id="scenario-events" />
      <TextField
        label="Name"
        value={nameOf(scenario)}
        error={faultAt('/name')}
        onChange={({ currentTarget }) => onChange({ ...scenario, name: currentTarget.value })}
      />
      <PersonFields scenario={scenario} builder={builder} fault={faultAt('/person')} onChange={onChange} />
      <WorkspaceFields
        scenario={scenario}
        zone={text(builder.definition.defaultZone) || 'UTC'}
        {...{ faultAt, onChange }}
      />
      <Entries
        of="given"
        title="What happens"
        entries={givenOf(scenario)}
        {...{ builder, faultAt, start }}
        onChange={(given) => onChange({ ...scenario, given })}
      />
      <Entries
        of="expect"
        title="What you expect"
        entries={expectedOf(scenario)}
        {...{ builder, faultAt, start }}
        onChange={(expect) => onChange({ ...scenario, expect })}
      />
      <div>
        <Button small kind="quiet" icon={CheckIcon} busy={scenarios.isPlaying} onClick={() => void take()}>
          Run it, and expect what happens
        </Button>
      </div>
    </div>
  )
}

type EntriesProps = {
  of: 'given' | 'expect'
  title: string
  entries: readonly Entry[]
  builder: Builder
  start: string
  faultAt: (part: string) => string | undefined
  onChange: (entries: Entry[]) => void
}

function Entries({ of, title, entries, builder, start, faultAt, onChange }: EntriesProps) {
  const [added, setAdded] = useState(false)
  const kinds = of === 'given' ? GIVEN_KINDS : EXPECTED_KINDS
  return (
    <fieldset className={classes.entries}>
      <legend>{title}</legend>
      {entries.map((entry, n) => (
        <EntryFields
          // biome-ignore lint/suspicious/noArrayIndexKey: entries have nothing else
          key={n}
          entry={entry}
          place={`${title}, ${n + 1}`}
          kinds={kinds}
          isExpected={of === 'expect'}
          start={start}
          builder={builder}
          fault={faultAt(`/${of}/${n}`)}
          autoFocus={added && n === entries.length - 1}
          onChange={(next) =>
            onChange(entries.flatMap((one, index) => (index !== n ? [one] : next === undefined ? [] : [next])))
          }
        />
      ))}
      <div>
        <Button
          small
          kind="quiet"
          icon={PlusIcon}
          onClick={() => {
            setAdded(true)
            onChange([...entries, newEntry(kinds[0]!.value, mailsOf(builder.definition))])
          }}
        >
          {of === 'given' ? 'Add something that happens' : 'Add something you expect'}
        </Button>
      </div>
    </fieldset>
  )
}
