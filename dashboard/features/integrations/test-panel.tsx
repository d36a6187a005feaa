import type { IntegrationTestResult } from '../../lib/site-types.ts'
import { Button } from '../../ui/controls.tsx'
import { BoltIcon } from '../../ui/icons.tsx'
import { Panel } from '../../ui/panel.tsx'
import { TestResult } from './test-result.tsx'

/** A panel with the test of what is typed or saved, and its last outcome. */
export function TestPanel({
  kind,
  result,
  busy,
  onTest,
}: {
  kind: 'smtp' | 'ses'
  result: IntegrationTestResult | undefined
  busy: boolean
  onTest: () => void
}) {
  return (
    <Panel
      title="Test"
      actions={
        <Button small icon={BoltIcon} busy={busy} onClick={onTest}>
          Test it
        </Button>
      }
    >
      {result === undefined ? (
        <p className="soft">Connects, encrypts and logs in as sending would, within 15 seconds. Nothing is sent.</p>
      ) : (
        <TestResult kind={kind} result={result} />
      )}
    </Panel>
  )
}
