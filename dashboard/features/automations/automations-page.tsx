import { numberText } from '../../lib/format.ts'
import { useCan } from '../../lib/permissions.ts'
import type { AutomationListItem } from '../../lib/site-types.ts'
import { useSite } from '../../lib/use-site.ts'
import { pageNumber, useUrlState } from '../../lib/use-url-state.ts'
import { AsCurl } from '../../ui/as-curl.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { FilterBar, FilterSelect, SearchField } from '../../ui/filter-bar.tsx'
import { GitBranchIcon, PlusIcon } from '../../ui/icons.tsx'
import { ButtonLink, Link } from '../../ui/link.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { PagedTable } from '../../ui/paged-table.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { EmptyState, NoneFits } from '../../ui/states.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { STATUSES } from './automation-words.ts'
import classes from './automations.module.css'
import { enterText } from './builder/enter-words.ts'
import { record } from './flow-node.ts'
import { useReferenceNames } from './reference-names.ts'

const NO_FILTER = { search: '', status: '' }
const DEFAULTS = { ...NO_FILTER, page: '1', pageSize: '25' }
const POLL_MS = 5_000

/** Every automation, with how many are in it. */
export default function AutomationsPage() {
  const can = useCan()
  const [url, setUrl] = useUrlState(DEFAULTS)
  const status = url.status in STATUSES ? (url.status as AutomationListItem['status']) : undefined
  const filter = { search: url.search || undefined, status }
  const query = { ...filter, page: pageNumber(url.page), pageSize: Number(url.pageSize) || 25 }
  const automations = useSite('GET /automations', { query }, { keep: true, pollMs: POLL_MS })
  const active = Object.values(filter).filter((value) => value !== undefined).length
  const narrow = (change: Partial<typeof NO_FILTER>, replace = false) => setUrl({ ...change, page: '1' }, { replace })
  return (
    <>
      <PageHeader
        title="Automations"
        actions={
          <>
            <AsCurl operation="GET /automations" query={query} />
            {can('automations:write') && <NewAutomation />}
          </>
        }
      >
        What happens to a person by itself, step by step, from an event on.
      </PageHeader>
      <FilterBar active={active} onClear={() => narrow(NO_FILTER)}>
        <SearchField
          label="Search automations"
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
        read={automations}
        loadingRows={6}
        label="Automations"
        columns={COLUMNS}
        rowName={({ name }) => name}
        noun="automation"
        setUrl={setUrl}
        sized
        none={
          active > 0 ? (
            <NoneFits noun="automation" onClear={() => narrow(NO_FILTER)} />
          ) : (
            <EmptyState
              title="No automation yet"
              icon={GitBranchIcon}
              actions={
                <>
                  {can('automations:write') && <NewAutomation />}
                  <AsCurl operation="POST /automations" body={FIRST} />
                </>
              }
            >
              A welcome after a sign-up, a reminder of a cart: an event brings people in, and each goes on at their own
              time.
            </EmptyState>
          )
        }
      />
    </>
  )
}

const NewAutomation = () => (
  <ButtonLink kind="primary" icon={PlusIcon} to="/automations/new">
    New automation
  </ButtonLink>
)

/** One to begin with, as a program writes it. */
const FIRST = {
  name: 'Welcome',
  triggerEvent: 'signed.up',
  steps: [
    { type: 'email' as const, subject: 'Welcome, {{ first_name }}', body: '<p>Good to have you.</p>' },
    { type: 'wait' as const, seconds: 86_400 },
    { type: 'apply_tag' as const, tag: 'welcomed' },
  ],
}

/** What brings people in, all of it; segments by their names. */
function EnterLine({ definition }: Pick<AutomationListItem, 'definition'>) {
  const { enter } = record(definition)
  const words = enterText(enter, useReferenceNames(enter))
  return (
    <span className={classes.line} title={words}>
      {words}
    </span>
  )
}

const COLUMNS: readonly Column<AutomationListItem>[] = [
  {
    id: 'name',
    head: 'Automation',
    width: '36%',
    cell: ({ id, name, definition }) => (
      <div className={classes.named}>
        <Link to={`/automations/${id}`} className={classes.name}>
          {name}
        </Link>
        <EnterLine definition={definition} />
      </div>
    ),
  },
  {
    id: 'status',
    head: 'Status',
    width: '120px',
    narrow: true,
    cell: ({ status }) => (
      <StatusBadge tone={STATUSES[status].tone} title={STATUSES[status].meaning}>
        {STATUSES[status].words}
      </StatusBadge>
    ),
  },
  {
    id: 'inside',
    head: 'In it now',
    numeric: true,
    narrow: 'below',
    width: '110px',
    cell: ({ inside }) => numberText(inside),
  },
  {
    id: 'entered',
    head: 'Came in',
    numeric: true,
    narrow: 'below',
    width: '110px',
    cell: ({ entered }) => numberText(entered),
  },
  {
    id: 'parked',
    head: 'Failed',
    numeric: true,
    narrow: 'below',
    width: '90px',
    cell: ({ id, parked }) =>
      parked === 0 ? (
        <span className="soft">0</span>
      ) : (
        <Link to={`/automations/${id}`} search={{ state: 'parked' }}>
          {numberText(parked)}
        </Link>
      ),
  },
  { id: 'updated', head: 'Changed', width: '120px', cell: ({ updatedAt }) => <RelativeTime at={updatedAt} /> },
]
