import { useState } from 'react'
import { useAct } from '../../../lib/use-site.ts'
import { Button, Select } from '../../../ui/controls.tsx'
import { HistoryIcon } from '../../../ui/icons.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { sayProblem } from '../../../ui/toasts.tsx'
import classes from './time-machine.module.css'

const WINDOWS = [
  { value: '7', label: 'Last 7 days' },
  { value: '30', label: 'Last 30 days' },
  { value: '90', label: 'Last 90 days' },
]
const SAMPLES = [
  { value: '100', label: 'Everybody' },
  { value: '10', label: 'One in 10' },
  { value: '1', label: 'One in 100' },
]

/** Which past, and of whom. */
export function ReplayForm({ id, onBegun }: { id: string; onBegun: (simulationId: string) => void }) {
  const [days, setDays] = useState('30')
  const [percent, setPercent] = useState('100')
  const simulate = useAct('POST /automations/{id}/simulate', { changes: ['/automations'] })
  return (
    <Panel title="Replay">
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault()
          const body = { days: Number(days), samplePercent: Number(percent) }
          simulate.mutateAsync({ params: { id }, body }).then(({ value }) => onBegun(value.id), sayProblem)
        }}
      >
        <Select
          label="What happened in the"
          options={WINDOWS}
          value={days}
          onChange={(event) => setDays(event.currentTarget.value)}
        />
        <Select
          label="Of"
          options={SAMPLES}
          value={percent}
          onChange={(event) => setPercent(event.currentTarget.value)}
        />
        <Button type="submit" kind="primary" icon={HistoryIcon} busy={simulate.isPending}>
          Replay the draft
        </Button>
      </form>
    </Panel>
  )
}
