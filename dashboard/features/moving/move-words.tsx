import { useCan } from '../../lib/permissions.ts'
import type { Move } from '../../lib/site-types.ts'
import { StatusBadge, type Tone } from '../../ui/status-badge.tsx'

const STATES: Readonly<Record<Move['state'], { words: string; tone: Tone }>> = {
  reading: { words: 'Being read', tone: 'info' },
  read: { words: 'Waits for you', tone: 'warn' },
  running: { words: 'Coming in', tone: 'info' },
  done: { words: 'Done', tone: 'good' },
  failed: { words: 'Failed', tone: 'bad' },
  canceled: { words: 'Canceled', tone: 'neutral' },
}

export function MoveState({ state }: { state: Move['state'] }) {
  const can = useCan()
  const isForOthers = state === 'read' && !MOVER_NEEDS.every(can)
  return <StatusBadge tone={STATES[state].tone}>{isForOthers ? 'Waits' : STATES[state].words}</StatusBadge>
}

/** Whether it goes on by itself. */
export const isMoving = ({ state }: Move) => state === 'reading' || state === 'running'

/** Everything a role must include to move here. */
export const MOVER_NEEDS = ['contacts:write', 'templates:write', 'broadcasts:write', 'suppressions:write'] as const
