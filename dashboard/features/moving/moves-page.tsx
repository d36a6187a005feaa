import { numberText } from '../../lib/format.ts'
import { useCan } from '../../lib/permissions.ts'
import { pollWhile } from '../../lib/poll-list.ts'
import type { Move } from '../../lib/site-types.ts'
import { useSite } from '../../lib/use-site.ts'
import { pageNumber, useUrlState } from '../../lib/use-url-state.ts'
import type { Column } from '../../ui/data-table.tsx'
import { FileImportIcon } from '../../ui/icons.tsx'
import { ButtonLink, Link } from '../../ui/link.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { PagedTable } from '../../ui/paged-table.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { isMoving, MOVER_NEEDS, MoveState } from './move-words.tsx'

const COLUMNS: Column<Move>[] = [
  {
    id: 'from',
    head: 'From',
    width: '40%',
    cell: ({ id, name }) => (
      <Link to={`/moves/${id}`} className="row-name">
        {name}
      </Link>
    ),
  },
  { id: 'state', head: 'State', narrow: true, cell: ({ state }) => <MoveState state={state} /> },
  { id: 'people', head: 'People', numeric: true, cell: ({ foreseen }) => numberText(foreseen.people.total) },
  { id: 'at', head: 'Begun', width: '130px', cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
]

/** Moves from other services, and where each is. */
export default function MovesPage() {
  const can = useCan()
  const [url, setUrl] = useUrlState({ page: '1' })
  const query = { page: pageNumber(url.page) }
  const moves = useSite(
    'GET /moves',
    { query },
    {
      keep: true,
      pollMs: pollWhile(isMoving),
    },
  )
  const begin = MOVER_NEEDS.every(can) && (
    <ButtonLink to="/moves/new" kind="primary" icon={FileImportIcon}>
      Move here from another service
    </ButtonLink>
  )
  return (
    <>
      <PageHeader title="Move here" back={{ to: '/contacts/imports', label: 'Imports' }} actions={begin}>
        People with their consents, whoever said no, templates and campaigns from another service: looked at first, then
        brought in.
      </PageHeader>
      <PagedTable
        read={moves}
        label="Moves"
        columns={COLUMNS}
        noun="move"
        setUrl={setUrl}
        none={
          <EmptyState title="Nothing moved yet" icon={FileImportIcon} actions={begin}>
            Brevo, Keila, listmonk and Mailchimp are read by their API, or by the file that they export. You see what
            would come before anything does.
          </EmptyState>
        }
      />
    </>
  )
}
