import { numberText, shareText } from '../../lib/format.ts'
import { useCan } from '../../lib/permissions.ts'
import { pollWhile } from '../../lib/poll-list.ts'
import type { BroadcastListItem } from '../../lib/site-types.ts'
import { subjectWords } from '../../lib/subject-words.ts'
import { useSite } from '../../lib/use-site.ts'
import { pageNumber, useUrlState } from '../../lib/use-url-state.ts'
import { AccountedBar } from '../../ui/accounted-bar.tsx'
import { AsCurl } from '../../ui/as-curl.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { FilterBar, FilterSelect, SearchField } from '../../ui/filter-bar.tsx'
import { PlusIcon, SpeakerphoneIcon } from '../../ui/icons.tsx'
import { ButtonLink, Link } from '../../ui/link.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { PagedTable } from '../../ui/paged-table.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { EmptyState, NoneFits } from '../../ui/states.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { type BroadcastStatus, countOf, FATES, isMoving, STATUSES } from './broadcast-words.ts'
import classes from './broadcasts.module.css'

const NO_FILTER = { search: '', status: '' }
const DEFAULTS = { ...NO_FILTER, page: '1', pageSize: '25' }

/** Every broadcast, the newest first, each with what became of its people. */
export default function BroadcastsPage() {
  const can = useCan()
  const [url, setUrl] = useUrlState(DEFAULTS)
  const status = url.status in STATUSES ? (url.status as BroadcastStatus) : undefined
  const filter = { search: url.search || undefined, status }
  const query = { ...filter, sort: '-id' as const, page: pageNumber(url.page), pageSize: Number(url.pageSize) || 25 }
  const broadcasts = useSite(
    'GET /broadcasts',
    { query },
    {
      keep: true,
      pollMs: pollWhile(({ status }) => isMoving(status)),
    },
  )
  const active = Object.values(filter).filter((value) => value !== undefined).length
  const narrow = (change: Partial<typeof NO_FILTER>, replace = false) => setUrl({ ...change, page: '1' }, { replace })
  const create = can('broadcasts:write') && (
    <ButtonLink kind="primary" icon={PlusIcon} to="/broadcasts/new">
      New broadcast
    </ButtonLink>
  )
  return (
    <>
      <PageHeader
        title="Broadcasts"
        actions={
          <>
            <AsCurl operation="GET /broadcasts" query={query} />
            {create}
          </>
        }
      >
        One mail to many people, and what became of each of them.
      </PageHeader>
      <FilterBar active={active} onClear={() => narrow(NO_FILTER)}>
        <SearchField
          label="Search broadcasts"
          placeholder="Name"
          value={url.search}
          onChange={(search) => narrow({ search }, true)}
        />
        <FilterSelect
          label="Status"
          value={url.status}
          onChange={(next) => narrow({ status: next })}
          options={Object.entries(STATUSES).map(([value, { words }]) => ({ value, label: words }))}
        />
      </FilterBar>
      <PagedTable
        read={broadcasts}
        loadingRows={8}
        label="Broadcasts"
        columns={COLUMNS}
        rowName={({ name }) => name}
        noun="broadcast"
        setUrl={setUrl}
        sized
        none={
          active > 0 ? (
            <NoneFits noun="broadcast" onClear={() => narrow(NO_FILTER)} />
          ) : (
            <EmptyState title="Nothing was sent yet" icon={SpeakerphoneIcon} actions={create}>
              A broadcast is one mail to everybody, or to a segment. It is checked before it goes out, and accounts for
              every person afterwards.
            </EmptyState>
          )
        }
      />
    </>
  )
}

const COLUMNS: readonly Column<BroadcastListItem>[] = [
  {
    id: 'name',
    head: 'Broadcast',
    width: '34%',
    cell: ({ id, name, subject }) => (
      <div className={classes.broadcast}>
        <Link to={`/broadcasts/${id}`} className={classes.name}>
          {name}
        </Link>
        <span className={classes.subject}>{subjectWords(subject) || 'No subject yet'}</span>
      </div>
    ),
  },
  {
    id: 'status',
    head: 'Status',
    width: '120px',
    narrow: true,
    cell: ({ status }) => <StatusBadge tone={STATUSES[status].tone}>{STATUSES[status].words}</StatusBadge>,
  },
  { id: 'people', head: 'People', narrow: 'below', cell: (broadcast) => <Fates broadcast={broadcast} /> },
  {
    id: 'opened',
    head: 'Opened',
    numeric: true,
    narrow: 'below',
    width: '90px',
    cell: ({ counts }) => <Share of={counts.openedCount} counts={counts} />,
  },
  {
    id: 'clicked',
    head: 'Clicked',
    numeric: true,
    narrow: 'below',
    width: '90px',
    cell: ({ counts }) => <Share of={counts.clickedCount} counts={counts} />,
  },
  { id: 'when', head: 'When', width: '130px', cell: (broadcast) => <When broadcast={broadcast} /> },
]

function Share({ of, counts: { acceptedCount } }: Pick<BroadcastListItem, 'counts'> & { of: number }) {
  return <span className={acceptedCount === 0 ? 'soft none' : undefined}>{shareText(of, acceptedCount)}</span>
}

function Fates({ broadcast: { counts } }: { broadcast: BroadcastListItem }) {
  if (counts.recipientsTotal === 0) return <span className="soft none">–</span>
  const parts = FATES.map(({ state, name, tone }) => ({ name, tone, count: countOf(counts, state) }))
  return (
    <div className={classes.fates}>
      <span className="numbers">{numberText(counts.recipientsTotal)}</span>
      <AccountedBar compact label="People" total={counts.recipientsTotal} parts={parts} />
    </div>
  )
}

function When({ broadcast: { sentAt, startedAt, scheduledAt, createdAt } }: { broadcast: BroadcastListItem }) {
  return <RelativeTime at={sentAt ?? startedAt ?? scheduledAt ?? createdAt} />
}
