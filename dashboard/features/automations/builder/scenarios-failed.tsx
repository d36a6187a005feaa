import { useCan } from '../../../lib/permissions.ts'
import type { SiteProblem } from '../../../lib/problem.ts'
import { Button } from '../../../ui/controls.tsx'
import { Link } from '../../../ui/link.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { namedSteps } from '../scenarios/scenario-faults.ts'
import classes from './builder.module.css'

export const SCENARIOS_FAILED = 'scenarios-failed'

type Props = {
  id: string
  nameOf: (step: string) => string
  problem: SiteProblem
  busy: boolean
  onDespite: () => void
  onClose: () => void
}

/** Says which scenarios keep a draft from being published; whoever runs the workspace may pass over them. */
export function ScenariosFailed({ id, nameOf, problem, busy, onDespite, onClose }: Props) {
  const mayPass = useCan()('workspace:write')
  return (
    <div role="alert">
      <Notice
        tone="warn"
        actions={
          mayPass && (
            <Button small busy={busy} onClick={onDespite}>
              Publish all the same
            </Button>
          )
        }
      >
        <p>
          Scenarios fail, so nothing was published.{' '}
          <Link to={`/automations/${id}/edit`} search={{ view: 'scenarios', play: 'all' }} onClick={onClose}>
            Look at the scenarios
          </Link>
        </p>
        <ul className={classes.faults} aria-label="Scenarios that fail">
          {problem.errors.map(({ detail }) => (
            <li key={detail}>{namedSteps(detail, nameOf)}</li>
          ))}
        </ul>
        {mayPass && <p>Publishing all the same is noted in the audit log.</p>}
      </Notice>
    </div>
  )
}
