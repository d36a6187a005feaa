import type { ReactNode } from 'react'
import type { Contact } from '../../lib/site-types.ts'
import { StatusBadge } from '../../ui/status-badge.tsx'

const SUPPRESSED = { bounce: 'Bounced', complaint: 'Complained', manual: 'Suppressed' } as const

/** Why nobody writes to them, or how they agreed to be written to; undefined where neither is known. */
export function mailStanding({ suppression, unsubscribedFrom, consent, isUnproven }: Contact): ReactNode {
  if (suppression) return <StatusBadge tone="bad">{SUPPRESSED[suppression.reason]}</StatusBadge>
  const isOut = unsubscribedFrom.some((source) => source === 'broadcasts' || source === 'everything')
  if (isOut) return <StatusBadge tone="warn">Unsubscribed</StatusBadge>
  if (isUnproven) return <StatusBadge tone="warn">Unproven</StatusBadge>
  if (consent) return <StatusBadge tone="good">Agreed</StatusBadge>
  return undefined
}
