import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { countText } from '../../lib/format.ts'
import { useCan } from '../../lib/permissions.ts'
import type { BroadcastReport } from '../../lib/site-types.ts'
import { useOneRun } from '../../lib/use-one-run.ts'
import { useAct } from '../../lib/use-site.ts'
import { Button, Checkbox } from '../../ui/controls.tsx'
import { PencilIcon } from '../../ui/icons.tsx'
import { Panel } from '../../ui/panel.tsx'
import { say, sayProblem } from '../../ui/toasts.tsx'
import classes from './report.module.css'

/** A draft of the same for those who have not opened it, and what is known of that: machines open mail that nobody reads. */
export function UnopenedPanel({ id, report }: { id: string; report: BroadcastReport }) {
  const can = useCan()
  const navigate = useNavigate()
  const [machineOpensCount, setMachineOpensCount] = useState(false)
  const draft = useAct('POST /broadcasts/{id}/draft-for-unopened', { changes: ['/broadcasts', '/segments'] })
  const { status, acceptedCount, openedCount, machineOpenedCount, openersKnownUntil } = report
  const make = async () => {
    const { value } = await draft.mutateAsync({ params: { id }, body: { machineOpensCount } })
    await navigate({ to: `/broadcasts/${value.id}` as never })
    say('A draft for those who have not opened it.')
  }
  const { once, isRunning } = useOneRun(() => make().catch(sayProblem))
  const mayDraft = can('broadcasts:write') && can('segments:write')
  if (!mayDraft || status !== 'sent' || acceptedCount === 0) return null
  const isKnown = openersKnownUntil === null || Date.parse(openersKnownUntil) > Date.now()
  return (
    <Panel
      title="Once more, to those who have not opened it"
      actions={
        isKnown && (
          <Button icon={PencilIcon} busy={isRunning} onClick={() => void once()}>
            Draft it for them
          </Button>
        )
      }
    >
      <div className={classes.where}>
        <p className="soft">
          {isKnown
            ? 'To whom it arrived, and who neither opened it nor followed a link of it. The draft says the same, shows how many they are, and leaves out who opens this one before you send it.'
            : 'Who has opened it is not known any more: it went out too long ago.'}
        </p>
        {isKnown && machineOpenedCount > 0 && (
          <Checkbox
            label={`Leave out those whose mail a machine has opened (${countText(machineOpenedCount, 'message')}). It fetches pictures whether anybody reads or not: some of these people have read it, and nobody can know.`}
            checked={machineOpensCount}
            onChange={(event) => setMachineOpensCount(event.currentTarget.checked)}
          />
        )}
        {isKnown && openedCount + machineOpenedCount === 0 && (
          <p className="soft">
            Of nobody it is known that they opened it. Where the settings have opens not tracked, these are all whom it
            reached and who followed no link.
          </p>
        )}
      </div>
    </Panel>
  )
}
