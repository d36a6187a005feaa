import { useCan } from '../../lib/permissions.ts'
import type { ContactExport, ContactImport } from '../../lib/site-types.ts'
import { StatusBadge, type Tone } from '../../ui/status-badge.tsx'

type Look = { words: string; tone: Tone }

const IMPORTS: Readonly<Record<ContactImport['state'], Look>> = {
  uploaded: { words: 'Waits for you', tone: 'warn' },
  running: { words: 'Running', tone: 'info' },
  done: { words: 'Done', tone: 'good' },
  failed: { words: 'Failed', tone: 'bad' },
  canceled: { words: 'Canceled', tone: 'neutral' },
}
const EXPORTS: Readonly<Record<ContactExport['state'], Look>> = {
  running: { words: 'Running', tone: 'info' },
  done: { words: 'Ready', tone: 'good' },
  failed: { words: 'Failed', tone: 'bad' },
  expired: { words: 'File is gone', tone: 'neutral' },
}

export function ImportState({ state }: { state: ContactImport['state'] }) {
  const can = useCan()
  const isForOthers = state === 'uploaded' && !can('contacts:write')
  return <StatusBadge tone={IMPORTS[state].tone}>{isForOthers ? 'Waits' : IMPORTS[state].words}</StatusBadge>
}

export function ExportState({ state }: { state: ContactExport['state'] }) {
  return <StatusBadge tone={EXPORTS[state].tone}>{EXPORTS[state].words}</StatusBadge>
}
