import { numberText, shareText } from '../../lib/format.ts'
import type { BroadcastHeatMap } from '../../lib/site-types.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { Link } from '../../ui/link.tsx'
import { Panel } from '../../ui/panel.tsx'
import { UrlText } from '../../ui/url-text.tsx'

type Counted = Omit<BroadcastHeatMap['links'][number], 'isShown'> & { isShown?: boolean }

/** Which links people followed, in the order of the mail; the number leads to who they are. */
export function ReportLinks({ id, links }: { id: string; links: readonly Counted[] }) {
  const all = links.reduce((sum, { clickCount }) => sum + clickCount, 0)
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
            {
              id: 'url',
              head: 'Link',
              width: '45%',
              cell: ({ url, isShown }) => (
                <>
                  <UrlText url={url} />{' '}
                  {isShown === false && <span className="soft">Not in the mail of this person.</span>}
                </>
              ),
            },
            {
              id: 'people',
              head: 'People',
              numeric: true,
              width: '84px',
              narrow: 'below',
              cell: ({ position, clickedCount }) =>
                clickedCount === 0 ? (
                  numberText(0)
                ) : (
                  <Link to={`/broadcasts/${id}`} search={{ tab: 'recipients', link: String(position) }}>
                    {numberText(clickedCount)}
                  </Link>
                ),
            },
            {
              id: 'clicks',
              head: 'Clicks',
              numeric: true,
              width: '84px',
              cell: ({ clickCount }) => numberText(clickCount),
            },
            {
              id: 'share',
              head: 'Share',
              numeric: true,
              width: '84px',
              narrow: 'below',
              cell: ({ clickCount }) => shareText(clickCount, all),
            },
            {
              id: 'machines',
              head: 'Clicks of machines',
              numeric: true,
              width: '150px',
              cell: ({ machineClickCount }) => numberText(machineClickCount),
            },
          ]}
        />
      )}
    </Panel>
  )
}
