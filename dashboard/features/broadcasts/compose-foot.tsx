import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { countText } from '../../lib/format.ts'
import type { SiteProblem } from '../../lib/problem.ts'
import type { BroadcastPreflight } from '../../lib/site-types.ts'
import classes from './compose.module.css'
import { findingsOf, hintsText, toMendText } from './compose-section.tsx'
import { CHECKS_ID } from './preflight-checks.tsx'
import type { Finding } from './when-findings.ts'

/** What comes next, at the lower edge of a phone wherever the page stands: how it stands with the draft, and its act. */
export function ComposeFoot({
  preflight,
  onTime,
  children,
}: {
  preflight: UseQueryResult<BroadcastPreflight, SiteProblem>
  /** Findings on its time. */
  onTime: readonly Finding[]
  children: ReactNode
}) {
  return (
    <section className={classes.foot} aria-label="Next">
      <a href={`#${CHECKS_ID}`}>{standText(preflight.data, onTime)}</a>
      {children}
    </section>
  )
}

function standText(found: BroadcastPreflight | undefined, onTime: readonly Finding[]): string {
  if (found === undefined) return 'It is being checked'
  const { errors, warnings } = findingsOf([...onTime, ...found.checks])
  if (errors > 0) return toMendText(errors)
  const people = found.forecast?.sendCount ?? found.recipientsCount
  return [
    people === null ? 'Ready' : `To ${countText(people, 'person', 'people')}`,
    warnings > 0 && hintsText(warnings),
  ]
    .filter(Boolean)
    .join(', ')
}
