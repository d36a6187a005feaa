import { useEffect, useRef, useState } from 'react'
import { numberText } from '../../../lib/format.ts'
import { useCan } from '../../../lib/permissions.ts'
import { useUrlState } from '../../../lib/use-url-state.ts'
import { Button, IconButton } from '../../../ui/controls.tsx'
import { PencilIcon, PlayerPlayIcon, PlusIcon, TrashIcon } from '../../../ui/icons.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { StatusBadge } from '../../../ui/status-badge.tsx'
import { stepName } from '../builder/step-name.ts'
import type { Builder } from '../builder/use-builder.ts'
import { record } from '../flow-node.ts'
import { nameOf, newScenario, type Result, type Scenario } from './scenario.ts'
import { ScenarioForm } from './scenario-form.tsx'
import { ScenarioLines } from './scenario-lines.tsx'
import { expectedLines, givenLines } from './scenario-words.ts'
import classes from './scenarios.module.css'
import type { Scenarios } from './use-scenarios.ts'

type Props = { builder: Builder; scenarios: Scenarios; onStep: (node: string) => void }

/** Made-up people and what should happen to them: written, run, and where it comes out otherwise. */
export function ScenariosView({ builder, scenarios, onStep }: Props) {
  const { list, put, results } = scenarios
  const [editing, setEditing] = useState<number>()
  const mayEdit = useCan()('automations:write')
  const add = () => {
    put([...list, newScenario(triggerOf(builder), `Scenario ${list.length + 1}`)])
    setEditing(list.length)
  }
  const replace = (at: number, scenario: Scenario) => put(list.map((one, n) => (n === at ? scenario : one)))
  usePlayedAtOnce(scenarios)
  return (
    <section className={classes.view} aria-label="Scenarios">
      <div className={classes.acts}>
        {list.length > 0 && (
          <Button kind="primary" icon={PlayerPlayIcon} busy={scenarios.isPlaying} onClick={() => void scenarios.play()}>
            Run all
          </Button>
        )}
        {mayEdit && (
          <Button icon={PlusIcon} onClick={add}>
            Add a scenario
          </Button>
        )}
        <span role="status" className={classes.told}>
          {playedText(scenarios)}
        </span>
      </div>
      {list.length === 0 && (
        <EmptyState title="No scenarios yet">
          A scenario makes up a person, says what happens to them, and which mails and tags they should get. Running it
          takes a second and mails nobody. All scenarios run again before this is published, and have to pass.
        </EmptyState>
      )}
      <ol className={classes.list}>
        {list.map((scenario, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: its name is what is typed
          <li key={at} className={classes.item}>
            <ScenarioHead
              scenario={scenario}
              result={results?.[at]}
              isEditing={editing === at}
              onEdit={mayEdit ? () => setEditing(editing === at ? undefined : at) : undefined}
              onRemove={() => {
                put(list.filter((_, n) => n !== at))
                setEditing(undefined)
              }}
            />
            {editing === at ? (
              <ScenarioForm
                scenario={scenario}
                at={at}
                builder={builder}
                scenarios={scenarios}
                onChange={(next) => replace(at, next)}
              />
            ) : (
              <ScenarioSaid scenario={scenario} builder={builder} />
            )}
            {results?.[at] && !results[at].passed && (
              <ScenarioLines result={results[at]} builder={builder} onStep={onStep} />
            )}
          </li>
        ))}
      </ol>
    </section>
  )
}

/** A link that leads here to see what fails says so in the address. */
function usePlayedAtOnce({ play }: Scenarios): void {
  const [url, setUrl] = useUrlState({ play: '' })
  const wasAsked = useRef(false)
  useEffect(() => {
    const isAsked = url.play === 'all'
    if (isAsked && !wasAsked.current) {
      setUrl({ play: '' }, { replace: true })
      void play()
    }
    wasAsked.current = isAsked
  })
}

function playedText({ list, results, isPlaying, wasPlayed }: Scenarios): string {
  if (list.length === 0 || isPlaying) return ''
  if (results === undefined) return wasPlayed ? 'Changed since they were last run.' : 'Not run yet.'
  const failed = results.filter(({ passed }) => !passed).length
  if (list.length === 1) return failed === 0 ? 'It passes.' : 'It fails.'
  if (failed === 0) return `All ${numberText(list.length)} pass.`
  return `${numberText(failed)} of ${numberText(list.length)} ${failed === 1 ? 'fails' : 'fail'}.`
}

/** What a scenario says, for whoever reads and does not write. */
function ScenarioSaid({ scenario, builder: { definition, referenceName } }: { scenario: Scenario; builder: Builder }) {
  const names = { step: (node: string) => stepName(definition, node, referenceName), reference: referenceName }
  return (
    <dl className={classes.said}>
      <dt>What happens</dt>
      <SaidLines lines={givenLines(scenario, names)} />
      <dt>What you expect</dt>
      <SaidLines lines={expectedLines(scenario, names)} />
    </dl>
  )
}

const SaidLines = ({ lines }: { lines: readonly string[] }) =>
  // biome-ignore lint/suspicious/noArrayIndexKey: things come again
  lines.map((line, n) => <dd key={n}>{line}</dd>)

type HeadProps = {
  scenario: Scenario
  result: Result | undefined
  isEditing: boolean
  onEdit: (() => void) | undefined
  onRemove: () => void
}

function ScenarioHead({ scenario, result, isEditing, onEdit, onRemove }: HeadProps) {
  const name = nameOf(scenario)
  return (
    <div className={classes.head}>
      <h2 className={classes.name}>{name}</h2>
      {result ? (
        <StatusBadge tone={result.passed ? 'good' : 'bad'}>{result.passed ? 'Passes' : 'Fails'}</StatusBadge>
      ) : (
        <StatusBadge tone="neutral">Not run</StatusBadge>
      )}
      {onEdit && (
        <>
          <IconButton
            label={isEditing ? `Close ${name}` : `Edit ${name}`}
            icon={PencilIcon}
            aria-expanded={isEditing}
            onClick={onEdit}
          />
          <IconButton label={`Remove ${name}`} icon={TrashIcon} onClick={onRemove} />
        </>
      )}
    </div>
  )
}

/** The first thing that brings people in, as something that has happened. */
function triggerOf({ definition }: Builder): Record<string, unknown> {
  const on = record(definition.enter).on
  const first = record(Array.isArray(on) ? on[0] : undefined)
  if (typeof first.event === 'string') return { event: first.event }
  return typeof first.segment === 'string' && 'when' in first
    ? { segment: first.segment, when: first.when }
    : { enroll: true }
}
