import { useState } from 'react'
import { countText } from '../../lib/format.ts'
import { useCan } from '../../lib/permissions.ts'
import type { BroadcastReport } from '../../lib/site-types.ts'
import { useAct } from '../../lib/use-site.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Button } from '../../ui/controls.tsx'
import { PlayerPauseIcon, PlayerPlayIcon } from '../../ui/icons.tsx'
import { sayProblem } from '../../ui/toasts.tsx'
import type { BroadcastStatus } from './broadcast-words.ts'

const changes = ['/broadcasts']
const ENDED: readonly BroadcastStatus[] = ['sent', 'canceled']
const STEERED: readonly BroadcastStatus[] = ['sending', 'paused', 'scheduled']

type Asked = 'cancel' | 'retry' | 'uncertain'

/** What may follow from where it stands, and nothing else. */
export function BroadcastActs({ id, report }: { id: string; report: BroadcastReport }) {
  const can = useCan()
  const [asked, setAsked] = useState<Asked>()
  const params = { id }
  const pause = useAct('POST /broadcasts/{id}/pause', { changes })
  const resume = useAct('POST /broadcasts/{id}/resume', { changes })
  const unschedule = useAct('POST /broadcasts/{id}/unschedule', { changes })
  const { status, failedCount, uncertainCount } = report
  if (!can('broadcasts:send')) return null
  const isSteered = STEERED.includes(status)
  return (
    <>
      {uncertainCount > 0 && !isSteered && (
        <Button onClick={() => setAsked('uncertain')}>Decide on {countText(uncertainCount, 'uncertain')}</Button>
      )}
      {failedCount > 0 && status === 'sent' && (
        <Button onClick={() => setAsked('retry')}>Try {countText(failedCount, 'failed', 'failed')} again</Button>
      )}
      {(status === 'scheduled' || status === 'failed') && (
        <Button busy={unschedule.isPending} onClick={() => unschedule.mutateAsync({ params }).catch(sayProblem)}>
          Make it a draft again
        </Button>
      )}
      {isSteered && <Button onClick={() => setAsked('cancel')}>Cancel</Button>}
      {status === 'sending' && (
        <Button
          kind="primary"
          icon={PlayerPauseIcon}
          busy={pause.isPending}
          onClick={() => pause.mutateAsync({ params }).catch(sayProblem)}
        >
          Pause
        </Button>
      )}
      {status === 'paused' && (
        <Button
          kind="primary"
          icon={PlayerPlayIcon}
          busy={resume.isPending}
          onClick={() => resume.mutateAsync({ params }).catch(sayProblem)}
        >
          Resume
        </Button>
      )}
      {asked === 'cancel' && <CancelDialog id={id} report={report} onClose={() => setAsked(undefined)} />}
      {asked === 'retry' && <RetryDialog id={id} report={report} onClose={() => setAsked(undefined)} />}
      {asked === 'uncertain' && ENDED.includes(status) && (
        <UncertainDialog id={id} report={report} onClose={() => setAsked(undefined)} />
      )}
    </>
  )
}

type DialogProps = { id: string; report: BroadcastReport; onClose: () => void }

function CancelDialog({ id, report, onClose }: DialogProps) {
  const cancel = useAct('POST /broadcasts/{id}/cancel', { changes })
  const left = countText(report.pendingCount, 'person', 'people')
  return (
    <ConfirmDialog
      title="Cancel this broadcast"
      opened
      onClose={onClose}
      action={report.pendingCount > 0 ? `Skip ${left}` : 'Cancel the broadcast'}
      keep="Keep it"
      danger
      onConfirm={() => cancel.mutateAsync({ params: { id } })}
    >
      <p>
        {report.recipientsTotal === 0
          ? 'It is not sent to anybody, for good.'
          : `${left} who have not been written to are skipped, for good. To go on later, pause it instead.`}
      </p>
    </ConfirmDialog>
  )
}

function RetryDialog({ id, report, onClose }: DialogProps) {
  const retry = useAct('POST /broadcasts/{id}/retry-failed', { changes })
  const failed = countText(report.failedCount, 'message')
  return (
    <ConfirmDialog
      title="Try failed messages again"
      opened
      onClose={onClose}
      action={`Try ${failed} again`}
      onConfirm={() => retry.mutateAsync({ params: { id } })}
    >
      <p>
        Only the {failed} that failed; nobody who got it gets it twice. People who must not be mailed by now are
        dropped.
      </p>
    </ConfirmDialog>
  )
}

/** One decision on what cannot be known, with what follows from it. */
function UncertainDialog({ id, report, onClose }: DialogProps) {
  const [as, setAs] = useState<'sent' | 'retry'>('sent')
  const resolve = useAct('POST /broadcasts/{id}/resolve-uncertain', { changes })
  const count = countText(report.uncertainCount, 'message')
  return (
    <ConfirmDialog
      title="What nobody can know"
      opened
      onClose={onClose}
      action={as === 'sent' ? `Take ${count} for sent` : `Send ${count} again`}
      danger={as === 'retry'}
      onConfirm={() => resolve.mutateAsync({ params: { id }, body: { as } })}
    >
      <p>
        {count} {report.uncertainCount === 1 ? 'was' : 'were'} handed over and no answer came back. They may have
        arrived or not.
      </p>
      <fieldset className="choice-list">
        <legend className="visually-hidden">Decide</legend>
        <label>
          <input type="radio" name="as" checked={as === 'sent'} onChange={() => setAs('sent')} /> Take them for sent:
          nobody gets it twice, somebody perhaps not at all
        </label>
        <label>
          <input type="radio" name="as" checked={as === 'retry'} onChange={() => setAs('retry')} /> Send them again:
          everybody gets it, somebody perhaps twice
        </label>
      </fieldset>
    </ConfirmDialog>
  )
}
