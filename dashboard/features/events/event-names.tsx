import type { EventAction } from '../../lib/site-types.ts'
import { useSite } from '../../lib/use-site.ts'
import { pageNumber, useUrlState } from '../../lib/use-url-state.ts'
import { type Column, DataTable, Pager } from '../../ui/data-table.tsx'
import { FilterBar, SearchField } from '../../ui/filter-bar.tsx'
import { Link } from '../../ui/link.tsx'
import { LetterCaseIcon } from '../../ui/rare-icons.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { EmptyState, NoneFits, Shown } from '../../ui/states.tsx'
import classes from './events.module.css'

/** Names that were seen, each with when last and what came with it. */
export function EventNames() {
  const [url, setUrl] = useUrlState({ tab: 'live', search: '', page: '1' })
  const query = { search: url.search || undefined, page: pageNumber(url.page), pageSize: 50 }
  const names = useSite('GET /events/actions', { query }, { keep: true })
  return (
    <>
      <FilterBar>
        <SearchField
          label="Search names"
          value={url.search}
          onChange={(search) => setUrl({ search, page: '1' }, { replace: true })}
        />
      </FilterBar>
      <Shown read={names}>
        {(page) =>
          page.totalItems === 0 ? (
            url.search === '' ? (
              <EmptyState title="No name was seen yet" icon={LetterCaseIcon}>
                Each name that an event goes by stands here, with when it was seen last and an example of its
                properties.
              </EmptyState>
            ) : (
              <NoneFits noun="name" onClear={() => setUrl({ search: '', page: '1' })}>
                No event that was seen has this in its name.
              </NoneFits>
            )
          ) : (
            <>
              <DataTable
                label="Names of events"
                columns={COLUMNS}
                rows={page.items}
                rowId={({ action }) => action}
                stale={names.isPlaceholderData}
              />
              <Pager {...page} noun="name" onPage={(next, how) => setUrl({ page: String(next) }, how)} />
            </>
          )
        }
      </Shown>
    </>
  )
}

const COLUMNS: Column<EventAction>[] = [
  {
    id: 'action',
    head: 'Name',
    cell: ({ action }) => (
      <span className={classes.seenName} title={action}>
        <Link to="/events" search={{ action }} className="row-name">
          {action}
        </Link>
      </span>
    ),
  },
  {
    id: 'sample',
    head: 'An example of its properties',
    cell: ({ sample }) =>
      sample === null ? (
        <span className="soft">Erased</span>
      ) : (
        <code className={classes.sample}>{JSON.stringify(sample)}</code>
      ),
  },
  {
    id: 'seen',
    head: 'Last seen',
    width: '130px',
    narrow: true,
    cell: ({ lastSeenAt }) => <RelativeTime at={lastSeenAt} />,
  },
]
