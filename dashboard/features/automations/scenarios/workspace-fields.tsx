import { useSite } from '../../../lib/use-site.ts'
import { Checkbox } from '../../../ui/controls.tsx'
import {
  CapFields,
  type FrequencyCap,
  NEW_CAP,
  newQuietHours,
  QuietFields,
  type QuietHours,
} from '../../confirmations/restraint-fields.tsx'
import { record } from '../flow-node.ts'
import { put, type Scenario } from './scenario.ts'
import classes from './scenarios.module.css'

type Props = {
  scenario: Scenario
  zone: string
  faultAt: (part: string) => string | undefined
  onChange: (scenario: Scenario) => void
}

/** What mail heeds in the scenario's workspace: nothing where nothing is said; to begin with what holds in this one. */
export function WorkspaceFields({ scenario, zone, faultAt, onChange }: Props) {
  const now = useSite('GET /sending-settings', {}).data
  const workspace = record(scenario.workspace)
  const [quietHours, frequencyCap] = [workspace.quietHours, workspace.frequencyCap].map((one) =>
    one === undefined || one === null ? undefined : record(one),
  )
  const change = (part: Record<string, unknown>) => onChange(put(scenario, 'workspace', part))
  return (
    <details className={classes.person}>
      <summary>The workspace</summary>
      <div className={classes.personFields}>
        <Checkbox
          label="Has quiet hours, and mails go when they end"
          checked={quietHours !== undefined}
          onChange={({ currentTarget }) =>
            change({ quietHours: currentTarget.checked ? (now?.quietHours ?? newQuietHours()) : undefined })
          }
        />
        {quietHours && (
          <QuietFields
            value={{ zone, ...quietHours } as QuietHours}
            faultAt={(name) => faultAt(`/workspace/quietHours/${name}`)}
            onChange={(part) => change({ quietHours: { ...quietHours, ...part } })}
          />
        )}
        <Checkbox
          label="Has a limit to how much one person gets"
          checked={frequencyCap !== undefined}
          onChange={({ currentTarget }) =>
            change({ frequencyCap: currentTarget.checked ? (now?.frequencyCap ?? NEW_CAP) : undefined })
          }
        />
        {frequencyCap && (
          <CapFields
            value={frequencyCap as FrequencyCap}
            faultAt={(name) => faultAt(`/workspace/frequencyCap/${name}`)}
            onChange={(part) => change({ frequencyCap: { ...frequencyCap, ...part } })}
          />
        )}
      </div>
    </details>
  )
}
