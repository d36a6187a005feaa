import { type UseQueryResult, useQueryClient } from '@tanstack/react-query'
import { countText, numberText } from '../../lib/format.ts'
import { useHere } from '../../lib/permissions.ts'
import { isProblem, type SiteProblem } from '../../lib/problem.ts'
import type { BroadcastPreflight } from '../../lib/site-types.ts'
import { subjectWords } from '../../lib/subject-words.ts'
import { refresh, useAct } from '../../lib/use-site.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Button } from '../../ui/controls.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Fact, Facts } from '../../ui/panel.tsx'
import { say } from '../../ui/toasts.tsx'
import { AudienceFacts } from './audience-facts.tsx'
import { reasonText } from './broadcast-words.ts'
import type { Sender } from './sender.ts'
import type { When } from './when.ts'
import type { Finding } from './when-findings.ts'

/** More people than this are sent to only with their number typed. */
const TYPED_FROM = 1_000

type Props = {
  id: string
  subject: string
  topicId: string | null
  sender: Sender
  when: When
  /** When it goes out, in words. */
  starts: string
  /** Findings on its time. */
  onTime: readonly Finding[]
  preflight: UseQueryResult<BroadcastPreflight, SiteProblem>
  onClose: () => void
}

/**
 * The last look: to whom it goes and how many of them get it, who of its audience does not and why, from whom, when, through what. All of it is
 * of the draft as it was saved last; the number of its audience and the state of the draft go along, and the server sends nothing if
 * either is another one by then. Without that look nothing is sent.
 */
export default function SendDialog({ id, subject, topicId, sender, when, starts, onTime, preflight, onClose }: Props) {
  const { workspace } = useHere()
  const client = useQueryClient()
  const changes = ['/broadcasts']
  const send = useAct('POST /broadcasts/{id}/send', { changes })
  const schedule = useAct('POST /broadcasts/{id}/schedule', { changes })
  // What was looked at before the last change was saved is of another audience.
  const found = preflight.isPlaceholderData ? undefined : preflight.data
  const hasFailed = found === undefined && preflight.isError
  const count = found?.recipientsCount ?? null
  const errors = [...onTime, ...(found?.checks ?? [])].filter(({ severity }) => severity === 'error')
  const [told] = onTime.filter(({ severity }) => severity === 'warning')
  const getting = found?.forecast?.sendCount ?? count
  const words =
    found === undefined
      ? 'its audience'
      : getting === null
        ? 'everybody in its audience'
        : countText(getting, 'person', 'people')
  const confirm = async () => {
    const expected = {
      ...(count === null ? {} : { expectedCount: count }),
      ...(found === undefined ? {} : { expectedUpdatedAt: found.updatedAt }),
    }
    const request = { params: { id } }
    try {
      if (when.is === 'now') await send.mutateAsync({ ...request, body: expected })
      else await schedule.mutateAsync({ ...request, body: { ...scheduleOf(when), ...expected } })
    } catch (error) {
      if (isProblem(error) && error.code === 'audience-changed') await refresh(client, '/broadcasts/{id}/preflight')
      // Told to nobody, as the server died over it, and done all the same.
      if (!isProblem(error) || error.code !== 'idempotent-answer-lost') throw error
    }
    say(when.is === 'now' || told ? 'It is being sent.' : 'It is scheduled.')
  }
  const again = (
    <Button small busy={preflight.isFetching} onClick={() => void preflight.refetch()}>
      Look again
    </Button>
  )
  return (
    <ConfirmDialog
      title={when.is === 'now' ? `Send to ${words}` : `Schedule for ${words}`}
      opened
      onClose={onClose}
      action={when.is === 'now' ? `Send to ${words}` : 'Schedule'}
      {...(getting !== null && getting > TYPED_FROM ? { typed: getting } : {})}
      isReady={found !== undefined && errors.length === 0}
      onConfirm={confirm}
    >
      {hasFailed && (
        <Notice tone="bad" actions={again}>
          Whom it goes to could not be looked up.
        </Notice>
      )}
      {errors.length > 0 && (
        <Notice tone="bad" actions={found?.ready === false && again}>
          {errors.length === 1 ? 'One thing keeps' : `${numberText(errors.length)} things keep`} it from being sent:{' '}
          {errors[0]?.detail}
        </Notice>
      )}
      {told && <Notice tone="warn">{told.detail}</Notice>}
      <Facts>
        <AudienceFacts found={found} hasFailed={hasFailed} />
        <Fact name="Subject">{subjectWords(subject) || 'None'}</Fact>
        <Fact name="From">
          {sender.name !== null && `${sender.name}, `}
          {sender.email ?? 'nobody yet'}
        </Fact>
        <Fact name="Through">
          {sender.integration?.name ?? 'No integration'} of {workspace.name}
        </Fact>
        <Fact name="When">{when.is === 'now' ? 'Now' : starts}</Fact>
      </Facts>
      {found?.forecast && found.forecast.skips.length > 0 && (
        <div>
          <p>
            {numberText(found.forecast.sendCount)} of the {countText(count ?? 0, 'person', 'people')} in its audience
            get it. These do not:
          </p>
          <ul className="less-list">
            {found.forecast.skips.map(({ reason, count: skipped }) => (
              <li key={reason}>{reasonText(reason, skipped, topicId)}</li>
            ))}
          </ul>
        </div>
      )}
    </ConfirmDialog>
  )
}

/** The body of the request that schedules it. */
function scheduleOf(when: Exclude<When, { is: 'now' }>) {
  return when.is === 'at'
    ? { scheduledAt: new Date(when.local).toISOString() }
    : { localTime: when.local, timeZone: when.zone }
}
