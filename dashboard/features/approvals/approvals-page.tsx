import { numberText } from '../../lib/format.ts'
import { useCan } from '../../lib/permissions.ts'
import type { ApprovalSummary } from '../../lib/site-types.ts'
import { useSite } from '../../lib/use-site.ts'
import { pageNumber, useUrlState } from '../../lib/use-url-state.ts'
import { AsCurl } from '../../ui/as-curl.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { CircleCheckIcon } from '../../ui/icons.tsx'
import { ButtonLink, Link } from '../../ui/link.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { PagedTable } from '../../ui/paged-table.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { ACTS, ApprovalBadge, askedByText } from './approval-words.tsx'

const POLL_MS = 15_000

/** Acts that agents asked for, and what became of them. */
export default function ApprovalsPage() {
  const [url, setUrl] = useUrlState({ page: '1' })
  const can = useCan()
  const query = { page: pageNumber(url.page) }
  const list = useSite('GET /approvals', { query }, { keep: true, pollMs: POLL_MS })
  return (
    <>
      <PageHeader title="Approvals" actions={<AsCurl operation="GET /approvals" query={query} />}>
        Agents draft, and ask. Nothing of theirs goes out before one of you says yes, or beyond the budget you gave
        them.
      </PageHeader>
      <PagedTable
        read={list}
        label="Approvals"
        columns={COLUMNS}
        noun="request"
        setUrl={setUrl}
        none={
          <EmptyState
            title="Nobody has asked"
            icon={CircleCheckIcon}
            actions={can('tokens:write') && <ButtonLink to="/tokens/new">New token</ButtonLink>}
          >
            An agent comes by a token with the scope <code>mcp:send</code>. When it would like to send something or to
            activate an automation, what exactly that is stands here for 72 hours.
          </EmptyState>
        }
      />
    </>
  )
}

const COLUMNS: Column<ApprovalSummary>[] = [
  {
    id: 'name',
    head: 'What',
    width: '30%',
    cell: ({ id, plan }) => (
      <Link to={`/approvals/${id}`} className="row-name">
        {plan.name}
      </Link>
    ),
  },
  { id: 'act', head: 'Kind', cell: ({ act }) => ACTS[act].kind },
  {
    id: 'status',
    head: 'Status',
    narrow: true,
    width: '136px',
    cell: ({ status }) => <ApprovalBadge status={status} />,
  },
  {
    id: 'people',
    head: 'People',
    narrow: 'below',
    numeric: true,
    width: '90px',
    cell: ({ act, recipientsCount }) =>
      act === 'automation' ? <span className="soft none">–</span> : numberText(recipientsCount),
  },
  { id: 'by', head: 'Asked by', cell: ({ askedBy }) => askedByText(askedBy) },
  { id: 'at', head: 'Asked', width: '120px', cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
]
