import { countText, numberText } from '../../../lib/format.ts'
import type { Automation, AutomationSimulation } from '../../../lib/site-types.ts'
import { useAct, useSite } from '../../../lib/use-site.ts'
import { Button } from '../../../ui/controls.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { Shown } from '../../../ui/states.tsx'
import { sayProblem } from '../../../ui/toasts.tsx'
import { ReplayReport } from './replay-report.tsx'
import { STATES, windowText } from './replay-words.ts'
import classes from './time-machine.module.css'

const POLL_MS = 1_000

/** One replay: how far it is, or what came of it. */
export function Replayed({ automation, id }: { automation: Automation; id: string }) {
  const params = { id: automation.id, simulationId: id }
  const read = useSite(
    'GET /automations/{id}/simulations/{simulationId}',
    { params },
    { pollMs: ({ state }) => state === 'running' && POLL_MS },
  )
  return (
    <Shown read={read} rows={6}>
      {(one) => {
        if (one.state === 'running') return <Running one={one} />
        if (one.report === null) {
          return (
            <Notice tone={one.state === 'failed' ? 'bad' : 'info'}>
              {one.failure ?? `The replay of ${windowText(one)} was canceled.`}
            </Notice>
          )
        }
        return <ReplayReport automation={automation} one={one} report={one.report} />
      }}
    </Shown>
  )
}

function Running({ one }: { one: AutomationSimulation }) {
  const { automationId, id, people, events } = one
  const cancel = useAct('POST /automations/{id}/simulations/{simulationId}/cancel', { changes: ['/automations'] })
  const stop = () => cancel.mutateAsync({ params: { id: automationId, simulationId: id } }).catch(sayProblem)
  return (
    <Panel
      title="Replaying"
      note={windowText(one)}
      actions={
        <Button small busy={cancel.isPending} onClick={() => void stop()}>
          Cancel
        </Button>
      }
    >
      <div className={classes.running}>
        <progress max={Math.max(1, people.total)} value={people.done} aria-label={STATES.running.words} />
        <p role="status">
          {numberText(people.done)} of {countText(people.total, 'person', 'people')}, {countText(events, 'event')}. It
          goes on when you leave.
        </p>
      </div>
    </Panel>
  )
}
