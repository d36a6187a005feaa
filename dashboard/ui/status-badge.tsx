import type { ReactNode } from 'react'

export type Tone = 'good' | 'warn' | 'bad' | 'info' | 'neutral'

/** A state as a word with a mark beside it; the colour never stands alone. */
export function StatusBadge({ tone, children, title }: { tone: Tone; children: ReactNode; title?: string }) {
  return (
    <span className="badge" data-tone={tone} title={title}>
      <span className="badge-mark" aria-hidden="true" />
      {children}
    </span>
  )
}
