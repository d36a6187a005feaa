import { numberText } from '../../lib/format.ts'
import { useCan } from '../../lib/permissions.ts'
import { pollWhile } from '../../lib/poll-list.ts'
import type { ContactImport } from '../../lib/site-types.ts'
import { useSite } from '../../lib/use-site.ts'
import { pageNumber, useUrlState } from '../../lib/use-url-state.ts'
import { AsCurl } from '../../ui/as-curl.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { FileImportIcon } from '../../ui/icons.tsx'
import { ButtonLink, Link } from '../../ui/link.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { PagedTable } from '../../ui/paged-table.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { AudienceTabs } from '../contacts/audience-tabs.tsx'
import { ImportState } from './import-state.tsx'

/** The count of an import that has begun: one that waits for somebody has none yet. */
const countOf =
  (name: 'created' | 'updated' | 'unchanged' | 'failed') =>
  ({ state, rows }: ContactImport) =>
    state === 'uploaded' ? <span className="soft none">–</span> : numberText(rows[name])

const COLUMNS: Column<ContactImport>[] = [
  {
    id: 'file',
    head: 'File',
    width: '34%',
    cell: ({ id, fileName }) => (
      <Link to={`/contacts/imports/${id}`} className="row-name">
        {fileName ?? `Import ${id}`}
      </Link>
    ),
  },
  { id: 'state', head: 'State', narrow: true, width: '150px', cell: ({ state }) => <ImportState state={state} /> },
  { id: 'created', head: 'New', numeric: true, narrow: 'below', cell: countOf('created') },
  { id: 'updated', head: 'Changed', numeric: true, narrow: 'below', cell: countOf('updated') },
  { id: 'unchanged', head: 'Known', numeric: true, narrow: 'below', cell: countOf('unchanged') },
  { id: 'failed', head: 'Failed', numeric: true, narrow: 'below', cell: countOf('failed') },
  { id: 'at', head: 'Uploaded', width: '130px', cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
]

/** Files that brought contacts, or are about to. */
export default function ImportsPage() {
  const can = useCan()
  const [url, setUrl] = useUrlState({ page: '1' })
  const query = { page: pageNumber(url.page) }
  const imports = useSite(
    'GET /contacts/imports',
    { query },
    {
      keep: true,
      pollMs: pollWhile(({ state }) => state === 'running'),
    },
  )
  const importFile = can('contacts:write') && (
    <ButtonLink to="/contacts/imports/new" kind="primary" icon={FileImportIcon}>
      Import a file
    </ButtonLink>
  )
  return (
    <>
      <PageHeader
        title="Imports"
        actions={
          <>
            <AsCurl operation="GET /contacts/imports" query={query} />
            <ButtonLink to="/moves">Move here</ButtonLink>
            {importFile}
          </>
        }
      >
        Contacts from files: each row accounted for, those that failed as a file to mend.
      </PageHeader>
      <AudienceTabs />
      <PagedTable
        read={imports}
        label="Imports"
        columns={COLUMNS}
        noun="import"
        setUrl={setUrl}
        none={
          <EmptyState title="No file yet" icon={FileImportIcon} actions={importFile}>
            A CSV file of any program will do. Those of Mailchimp, listmonk and Postroom are known column by column.
            With templates, campaigns and whoever said no, they come by “Move here”.
          </EmptyState>
        }
      />
    </>
  )
}
