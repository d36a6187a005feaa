import { numberText } from '../../lib/format.ts'
import type { BroadcastReport } from '../../lib/site-types.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { Link } from '../../ui/link.tsx'
import { Panel } from '../../ui/panel.tsx'

/** Which links people followed, in the order of the mail; the number leads to who they are. */
export function ReportLinks({ id, links }: { id: string; links: BroadcastReport['links'] }) {
  return (
    <Panel title="Links" flush>
      {links.length === 0 ? (
        <p className="soft panel-words">No link has been followed yet.</p>
      ) : (
        <DataTable
          label="Links"
          rows={links}
          rowId={({ position }) => String(position)}
          columns={[
            { id: 'url', head: 'Link', width: '50%', cell: ({ url }) => <span>{url}</span> },
            {
              id: 'people',
              head: 'People',
              numeric: true,
              narrow: true,
              cell: ({ position, clickedCount }) => (
                <Link to={`/broadcasts/${id}`} search={{ tab: 'recipients', link: String(position) }}>
                  {numberText(clickedCount)}
                </Link>
              ),
            },
            { id: 'clicks', head: 'Clicks', numeric: true, cell: ({ clickCount }) => numberText(clickCount) },
            {
              id: 'machines',
              head: 'Clicks of machines',
              numeric: true,
              cell: ({ machineClickCount }) => numberText(machineClickCount),
            },
          ]}
        />
      )}
    </Panel>
  )
}
