import { Panel } from '../../ui/panel.tsx'
import { stepName } from '../automations/builder/step-name.ts'
import { flowOf } from '../automations/flow.ts'
import { outlineOf, tailText } from '../automations/flow-outline.ts'
import { kindText, nodeText, signalText, wayText } from '../automations/node-words.ts'
import { useReferenceNames } from '../automations/reference-names.ts'
import classes from './approvals.module.css'

const STEP_REM = 1.25

type Definition = Record<string, unknown> & { enter?: { on?: Record<string, unknown>[] } }

/** The steps of an automation in words, in the order in which people come to them. */
export function PlanSteps({ definition }: { definition: Definition }) {
  const referenceName = useReferenceNames(definition)
  const events = (definition.enter?.on ?? []).filter((trigger) => 'event' in trigger || 'segment' in trigger)
  return (
    <Panel title="Its steps">
      <div className={classes.facts}>
        {events.length > 0 && (
          <p className="soft">
            People come in by {events.map((trigger) => signalText(trigger, referenceName)).join(' or ')}.
          </p>
        )}
        <ol className={classes.steps}>
          {outlineOf(flowOf(definition), { ends: true }).map((row) => (
            <li key={row.key} style={{ marginInlineStart: `${row.depth * STEP_REM}rem` }}>
              {row.is === 'node' && (
                <>
                  <strong>{kindText(row.node)}</strong>{' '}
                  <span className="soft">{nodeText(row.node, referenceName)}</span>
                </>
              )}
              {row.is === 'way' && <span className="soft">{wayText(row.of, row.way, referenceName)}</span>}
              <span className="soft">{tailText(row, (id) => stepName(definition, id, referenceName))}</span>
            </li>
          ))}
        </ol>
      </div>
    </Panel>
  )
}
