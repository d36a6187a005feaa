import type { ReactNode } from 'react'
import { AlertTriangleIcon, CircleCheckIcon, type Icon, InfoCircleIcon } from './icons.tsx'

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
