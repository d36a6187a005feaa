import { type ReactNode, useId, useState } from 'react'
import { countText } from '../../lib/format.ts'
import { IconButton } from '../../ui/controls.tsx'
import { ChevronDownIcon } from '../../ui/icons.tsx'
import { Panel } from '../../ui/panel.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import classes from './compose.module.css'
import type { Fold } from './use-folds.ts'
import { type Finding, WHEN_FIELD } from './when-findings.ts'

export type SectionName = 'Audience' | 'Content' | 'Sender' | 'When'

/** One of the four parts of a draft, with whether it is as it has to be. */
export function ComposeSection({
  title,
  checks,
  fold,
  summary,
  children,
}: {
  title: SectionName
  /** Findings about this part. */
  checks: readonly Finding[]
  /** Without, all of it is seen. */
  fold: Fold | undefined
  /** What is in it, in the line that stands for it while it is folded. */
  summary: string
  children: ReactNode
}) {
  const inside = useId()
  const isFolded = fold !== undefined && !fold.isOpen
  // What was never opened is not loaded; what was keeps what has been done in it.
  const [wasOpen, setWasOpen] = useState(!isFolded)
  if (!isFolded && !wasOpen) setWasOpen(true)
  return (
    <div id={idOf(title)} className={classes.section} data-folded={isFolded || undefined}>
      <Panel
        flush
        title={title}
        note={isFolded ? summary : undefined}
        actions={
          <>
            <SectionState checks={checks} />
            {fold && (
              <IconButton
                label={title}
                icon={ChevronDownIcon}
                tooltip={false}
                aria-expanded={fold.isOpen}
                aria-controls={inside}
                onClick={() => fold.change(!fold.isOpen)}
              />
            )}
          </>
        }
      >
        <div id={inside} hidden={isFolded} className={classes.inside}>
          {wasOpen && children}
        </div>
      </Panel>
    </div>
  )
}

function SectionState({ checks }: { checks: readonly Finding[] }) {
  const { errors, warnings } = findingsOf(checks)
  if (errors > 0) return <StatusBadge tone="bad">{toMendText(errors)}</StatusBadge>
  return warnings > 0 ? (
    <StatusBadge tone="warn">{hintsText(warnings)}</StatusBadge>
  ) : (
    <StatusBadge tone="good">Ready</StatusBadge>
  )
}

export function findingsOf(checks: readonly Finding[]) {
  const errors = checks.filter(({ severity }) => severity === 'error').length
  return { errors, warnings: checks.length - errors }
}

export const toMendText = (errors: number) => countText(errors, 'thing to mend', 'things to mend')
export const hintsText = (warnings: number) => countText(warnings, 'hint')

export const idOf = (title: SectionName) => `section-${title.toLowerCase()}`

/** The part of a draft that a finding is about; undefined for one about the workspace. */
export function sectionOf({ field }: Finding): SectionName | undefined {
  if (field === null) return undefined
  if (field === WHEN_FIELD) return 'When'
  if (field === 'segmentIds' || field === 'excludedSegmentIds') return 'Audience'
  return field === 'integrationId' || field === 'fromEmail' || field === 'fromName' ? 'Sender' : 'Content'
}
