import { useCan } from '../../lib/permissions.ts'
import type { Segment } from '../../lib/site-types.ts'
import { useSite } from '../../lib/use-site.ts'
import { pageNumber, useUrlState } from '../../lib/use-url-state.ts'
import { AsCurl } from '../../ui/as-curl.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { FilterBar, SearchField } from '../../ui/filter-bar.tsx'
import { FilterIcon, PlusIcon } from '../../ui/icons.tsx'
import { ButtonLink, Link } from '../../ui/link.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { PagedTable } from '../../ui/paged-table.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { EmptyState, NoneFits } from '../../ui/states.tsx'
import { parseTree, ruleCount } from './rule-tree.ts'

const COLUMNS: Column<Segment>[] = [
  {
    id: 'name',
    head: 'Segment',
    width: '44%',
    cell: ({ id, name }) => (
      <Link to={`/segments/${id}`} className="row-name">
        {name}
      </Link>
    ),
  },
  { id: 'rules', head: 'Rules', narrow: true, cell: ({ definition }) => rulesText(definition) },
  { id: 'changed', head: 'Changed', width: '150px', cell: ({ updatedAt }) => <RelativeTime at={updatedAt} /> },
  {
    id: 'people',
    head: 'People',
    narrow: 'below',
    width: '130px',
    cell: ({ id, name }) => (
      <Link to="/contacts" search={{ segmentId: id }}>
        See who<span className="visually-hidden"> is in {name}</span>
      </Link>
    ),
  },
]

/** Rules about contacts, by name. */
export default function SegmentsPage() {
  const can = useCan()
  const [url, setUrl] = useUrlState({ search: '', page: '1' })
  const query = { search: url.search || undefined, page: pageNumber(url.page) }
  const segments = useSite('GET /segments', { query }, { keep: true })
  const newSegment = can('segments:write') && (
    <ButtonLink to="/segments/new" kind="primary" icon={PlusIcon}>
      New segment
    </ButtonLink>
  )
  return (
    <>
      <PageHeader
        title="Segments"
        actions={
          <>
            <AsCurl operation="GET /segments" query={query} />
            {newSegment}
          </>
        }
      >
        Rules about contacts. Whoever fits is in, whenever somebody asks.
      </PageHeader>
      <FilterBar>
        <SearchField
          label="Search segments"
          value={url.search}
          onChange={(search) => setUrl({ search, page: '1' }, { replace: true })}
        />
      </FilterBar>
      <PagedTable
        read={segments}
        label="Segments"
        columns={COLUMNS}
        noun="segment"
        setUrl={setUrl}
        none={
          url.search === '' ? (
            <EmptyState title="No segments yet" icon={FilterIcon} actions={newSegment}>
              People on the pro plan who opened something in the last month: say it as rules, and see at once how many
              they are.
            </EmptyState>
          ) : (
            <NoneFits noun="segment" onClear={() => setUrl({ search: '', page: '1' })}>
              No segment has this in its name.
            </NoneFits>
          )
        }
      />
    </>
  )
}

function rulesText(definition: string): string {
  const tree = parseTree(definition)
  if (tree === undefined) return 'As text'
  const count = ruleCount(tree)
  return count === 0 ? 'Everybody' : count === 1 ? '1 rule' : `${count} rules`
}
