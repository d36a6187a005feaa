import { countText } from '../../../lib/format.ts'
import type { AutomationSimulationSummary } from '../../../lib/site-types.ts'
import { type Column, DataTable } from '../../../ui/data-table.tsx'
import { Link } from '../../../ui/link.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { RelativeTime } from '../../../ui/relative-time.tsx'
import { StatusBadge } from '../../../ui/status-badge.tsx'
import { STATES, windowText } from './replay-words.ts'

type Props = { automationId: string; items: readonly AutomationSimulationSummary[]; shown: string }

/** The replays that are kept; each leads to its report. */
export function EarlierReplays({ automationId, items, shown }: Props) {
  const columns: Column<AutomationSimulationSummary>[] = [
    {
      id: 'window',
      head: 'Replay',
      cell: (one) =>
        one.id === shown ? (
          <span aria-current="true">{windowText(one)} (shown above)</span>
        ) : (
          <Link to={`/automations/${automationId}/time-machine`} search={{ replay: one.id }}>
            {windowText(one)}
          </Link>
        ),
    },
    {
      ...{ id: 'state', head: 'State', narrow: true, width: '120px' },
      cell: ({ state }) => <StatusBadge tone={STATES[state].tone}>{STATES[state].words}</StatusBadge>,
    },
    { id: 'events', head: 'Events', numeric: true, width: '140px', cell: ({ events }) => countText(events, 'event') },
    {
      ...{ id: 'at', head: 'Finished', width: '140px' },
      cell: ({ endedAt }) => (endedAt === null ? <span className="soft none">–</span> : <RelativeTime at={endedAt} />),
    },
  ]
  return (
    <Panel title="All replays" note="The last 20 are kept" flush>
      <DataTable label="All replays" columns={columns} rows={items} rowId={({ id }) => id} />
    </Panel>
  )
}
