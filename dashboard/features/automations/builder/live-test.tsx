import { useState } from 'react'
import { lazyPart } from '../../../lib/load-part.ts'
import { useCan } from '../../../lib/permissions.ts'
import { Button } from '../../../ui/controls.tsx'
import { SendIcon } from '../../../ui/icons.tsx'
import type { Builder } from './use-builder.ts'

const LiveTestDialog = lazyPart(() => import('./live-test-dialog.tsx'))

/** Has one person go through the draft, once that is saved. */
export function LiveTestButton({ builder }: { builder: Builder }) {
  const can = useCan()
  const [isOpen, setOpen] = useState(false)
  if (!can('automations:write')) return null
  return (
    <>
      <Button
        kind="quiet"
        icon={SendIcon}
        onClick={async () => {
          if (await builder.draft.flush()) setOpen(true)
        }}
      >
        Test on one person
      </Button>
      {isOpen && <LiveTestDialog builder={builder} onClose={() => setOpen(false)} />}
    </>
  )
}
