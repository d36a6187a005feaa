import type { ReactNode } from 'react'
import type { PreflightCheck } from '../../lib/site-types.ts'
import { Panel } from '../../ui/panel.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'

/** One of the four parts of a draft, with whether it is as it has to be. */
export function ComposeSection({
  title,
  checks,
  note,
  children,
}: {
  title: string
  /** Findings about this part. */
  checks: readonly PreflightCheck[]
  note?: ReactNode
  children: ReactNode
}) {
  const errors = checks.filter(({ severity }) => severity === 'error').length
  const warnings = checks.length - errors
  return (
    <div id={idOf(title)}>
      <Panel
        title={title}
        note={note}
        actions={
          errors > 0 ? (
            <StatusBadge tone="bad">{errors === 1 ? '1 thing to mend' : `${errors} things to mend`}</StatusBadge>
          ) : warnings > 0 ? (
            <StatusBadge tone="warn">{warnings === 1 ? '1 hint' : `${warnings} hints`}</StatusBadge>
          ) : (
            <StatusBadge tone="good">Ready</StatusBadge>
          )
        }
      >
        {children}
      </Panel>
    </div>
  )
}

export const idOf = (title: string) => `section-${title.toLowerCase()}`

/** The part of a draft that a finding is about; undefined for one about the workspace. */
export function sectionOf({ field }: PreflightCheck): 'Audience' | 'Content' | 'Sender' | undefined {
  if (field === null) return undefined
  if (field === 'segmentIds' || field === 'excludedSegmentIds') return 'Audience'
  return field === 'integrationId' || field === 'fromEmail' || field === 'fromName' ? 'Sender' : 'Content'
}
