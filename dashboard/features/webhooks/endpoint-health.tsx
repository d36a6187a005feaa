import { countText, numberText, shareText } from '../../lib/format.ts'
import type { SiteWebhookEndpointHealth as Health } from '../../lib/site-types.ts'
import { AccountedBar } from '../../ui/accounted-bar.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import classes from './webhooks.module.css'

type State = Pick<Health, 'enabled' | 'disabledReason'> & { failingSince?: string | null }

const SWITCHED_OFF = {
  gone: 'It answered 410 Gone, which asks us not to come again.',
  failing: 'Nothing but failures came back for five days.',
} as const

/** How an endpoint fares, in a word. */
export function HealthBadge({ enabled, disabledReason, failingSince }: State) {
  if (disabledReason !== null)
    return (
      <StatusBadge tone="bad" title={SWITCHED_OFF[disabledReason]}>
        Switched off
      </StatusBadge>
    )
  if (!enabled) return <StatusBadge tone="neutral">Paused</StatusBadge>
  if (failingSince) return <StatusBadge tone="warn">Failing</StatusBadge>
  return <StatusBadge tone="good">Healthy</StatusBadge>
}

/** What follows from it, in a sentence; nothing where all is well. */
export function healthSentence({ enabled, disabledReason }: State): string | undefined {
  if (disabledReason !== null)
    return `${SWITCHED_OFF[disabledReason]} It collects nothing new. Switch it on again once the receiver is well, then recover what it missed.`
  if (!enabled) return 'Paused. Its deliveries are collected, and go out when it is switched on again.'
  return undefined
}

export function FailingSince({ at }: { at: string }) {
  return (
    <>
      Nothing but failures came back since <RelativeTime at={at} />. After five days of that it is switched off.
    </>
  )
}

/** The newest deliveries as a bar, with the share that arrived. */
export function RecentDeliveries({ health }: { health: Health }) {
  const { delivered, discarded, pending } = health
  const total = delivered + discarded + pending
  if (total === 0) return <span className="soft">None yet</span>
  return (
    <span className={classes.recent}>
      <AccountedBar
        compact
        label={`Newest ${countText(total, 'delivery', 'deliveries')}`}
        total={total}
        parts={[
          { name: 'Delivered', count: delivered, tone: 'good' },
          { name: 'Pending', count: pending, tone: 'info' },
          { name: 'Discarded', count: discarded, tone: 'bad' },
        ]}
      />
      <span className="numbers soft">{shareText(delivered, total)}</span>
    </span>
  )
}

export function waitingText({ waiting, waitingIsMore }: Health): string {
  return waitingIsMore ? `over ${numberText(waiting)}` : numberText(waiting)
}
