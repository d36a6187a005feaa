import type { ReactNode } from 'react'
import { Button } from './controls.tsx'
import { AlertTriangleIcon, CircleCheckIcon, type Icon, InfoCircleIcon } from './icons.tsx'
import { useFocusPassed } from './passed-focus.ts'

const MARKS: Record<string, Icon> = {
  info: InfoCircleIcon,
  warn: AlertTriangleIcon,
  bad: AlertTriangleIcon,
  good: CircleCheckIcon,
}

/** A sentence that matters more than the text around it. */
export function Notice({
  tone = 'info',
  children,
  actions,
}: {
  tone?: 'info' | 'warn' | 'bad' | 'good'
  children: ReactNode
  actions?: ReactNode
}) {
  const Mark = MARKS[tone] ?? InfoCircleIcon
  return (
    <div className="notice" data-tone={tone}>
      <Mark size={16} />
      <div className="notice-body">
        <div className="notice-words">{children}</div>
        {actions && <div className="notice-actions">{actions}</div>}
      </div>
    </div>
  )
}

type ConflictProps = {
  children: ReactNode
  /** The choice by which one's own holds. */
  mine: string
  busy?: boolean
  onMine: () => void
  onTheirs: () => void
}

/** Somebody else was faster (412): what was typed stays, and one chooses whose holds. */
export function ConflictNotice({ children, mine, busy = false, onMine, onTheirs }: ConflictProps) {
  const part = useFocusPassed()
  return (
    <div role="alert" ref={part}>
      <Notice
        tone="warn"
        actions={
          <>
            <Button small disabled={busy} onClick={onTheirs}>
              Take theirs
            </Button>
            <Button small busy={busy} onClick={onMine}>
              {mine}
            </Button>
          </>
        }
      >
        {children}
      </Notice>
    </div>
  )
}
