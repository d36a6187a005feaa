import { countText, numberText } from '../../lib/format.ts'
import { useCan } from '../../lib/permissions.ts'
import { useAct, useSite } from '../../lib/use-site.ts'
import { Button } from '../../ui/controls.tsx'
import { Notice } from '../../ui/notice.tsx'
import { sayProblem } from '../../ui/toasts.tsx'

const POLL_MS = 5_000

/** The last time that past triggers were gone through. */
export function useBackfill(id: string, enabled: boolean) {
  return useSite('GET /automations/{id}/backfill', { params: { id } }, { enabled, pollMs: POLL_MS })
}

type Props = { id: string; read: ReturnType<typeof useBackfill> }

/** How far past triggers are gone through, for as long as they are, and its end by hand. */
export function BackfillNotice({ id, read }: Props) {
  const can = useCan()
  const revoke = useAct('POST /automations/{id}/backfill/revoke', { changes: ['/automations'] })
  const last = read.data?.last
  if (!last || (last.state !== 'running' && last.waiting === 0)) return null
  return (
    <Notice
      actions={
        can('automations:activate') &&
        last.state !== 'revoked' && (
          <Button
            small
            busy={revoke.isPending}
            onClick={() => revoke.mutateAsync({ params: { id } }).catch(sayProblem)}
          >
            Take it back
          </Button>
        )
      }
    >
      People of the past are being brought in: {numberText(last.placed)} of {countText(last.events, 'event')} so far,{' '}
      {numberText(last.waiting)} of them waiting for their turn.
    </Notice>
  )
}
