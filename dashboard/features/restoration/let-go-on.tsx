import { useState } from 'react'
import type { Restoration } from '../../lib/site-types.ts'
import { useAct } from '../../lib/use-site.ts'
import { ChoiceField } from '../../ui/choice.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Button } from '../../ui/controls.tsx'
import { Notice } from '../../ui/notice.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { say } from '../../ui/toasts.tsx'

const REASONS: Readonly<Record<NonNullable<Restoration['reason']>, string>> = {
  cluster: 'the database was restored, or moved to another server',
  behind: 'the database has lost what it knew before: an older state was put back',
  told: 'somebody said on the command line that the database was restored',
  copy: 'it was started as a copy',
}
const QUEUED = [
  {
    value: 'ask',
    label: 'Ask about each',
    description: 'It may have gone out after the backup. It becomes uncertain, and nobody gets it twice.',
  },
  {
    value: 'send',
    label: 'Send it',
    description: 'Only where nothing was lost, as after a move of the whole database.',
  },
] as const

/** Says why nothing goes out, and lets it go on. */
export function LetGoOn({ state: { heldSince, reason, isCopy } }: { state: Restoration }) {
  const [isAsked, setAsked] = useState(false)
  const [queued, setQueued] = useState<(typeof QUEUED)[number]['value']>('ask')
  const confirm = useAct('POST /site/restoration/confirm', { changes: ['/site/restoration', '/site/system'] })
  if (heldSince === null) return null
  return (
    <>
      <Notice
        tone="bad"
        actions={
          !isCopy && (
            <Button kind="primary" onClick={() => setAsked(true)}>
              Let it go on
            </Button>
          )
        }
      >
        Nothing is sent or delivered since <RelativeTime at={heldSince} />
        {reason !== null && `: ${REASONS[reason]}`}.{isCopy && ' As a copy it sends nothing.'}
      </Notice>
      <ConfirmDialog
        title="Let it go on"
        opened={isAsked}
        onClose={() => setAsked(false)}
        action="Let it go on"
        onConfirm={async () => {
          await confirm.mutateAsync({ body: { heldSince, sendQueued: queued === 'send' } })
          say('It goes on within a minute.')
        }}
      >
        <p>Mail goes out again and webhooks are delivered, in every workspace.</p>
        <ChoiceField label="Mail that was waiting then" value={queued} onChange={setQueued} choices={QUEUED} />
      </ConfirmDialog>
    </>
  )
}
