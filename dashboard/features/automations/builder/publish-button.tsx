import { useState } from 'react'
import { lazyPart } from '../../../lib/load-part.ts'
import { useCan } from '../../../lib/permissions.ts'
import type { Automation } from '../../../lib/site-types.ts'
import { Button } from '../../../ui/controls.tsx'
import { PlayerPlayIcon } from '../../../ui/icons.tsx'

const PublishDialog = lazyPart(() => import('./publish-dialog.tsx'))

type Props = {
  automation: Automation
  /** Saves what is not saved yet; false while the server does not take it. */
  flush?: () => Promise<boolean>
}

/** Puts the draft in force, once it is said what that does to those inside. */
export function PublishButton({ automation, flush }: Props) {
  const can = useCan()
  const [isOpen, setOpen] = useState(false)
  const { status, draftChanged } = automation
  if (!can('automations:activate') || status === 'stopped') return null
  const isClosed = status === 'draft' || status === 'closed'
  if (!flush && !isClosed && !draftChanged) return null
  return (
    <>
      <Button
        kind={isClosed || draftChanged ? 'primary' : 'default'}
        icon={PlayerPlayIcon}
        onClick={async () => {
          if (!flush || (await flush())) setOpen(true)
        }}
      >
        {isClosed ? 'Activate…' : 'Publish…'}
      </Button>
      {isOpen && <PublishDialog id={automation.id} isClosed={isClosed} onClose={() => setOpen(false)} />}
    </>
  )
}
