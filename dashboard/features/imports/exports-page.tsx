import { numberText } from '../../lib/format.ts'
import { pollWhile } from '../../lib/poll-list.ts'
import { siteUrl } from '../../lib/site.ts'
import type { ContactExport } from '../../lib/site-types.ts'
import { useAct, useSite } from '../../lib/use-site.ts'
import { pageNumber, useUrlState } from '../../lib/use-url-state.ts'
import { AsCurl } from '../../ui/as-curl.tsx'
import { Button } from '../../ui/controls.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { DownloadIcon, FileExportIcon } from '../../ui/icons.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { PagedTable } from '../../ui/paged-table.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { sayProblem } from '../../ui/toasts.tsx'
import { AudienceTabs } from '../contacts/audience-tabs.tsx'
import { ExportFilter } from './export-filter.tsx'
import { ExportState } from './import-state.tsx'

const COLUMNS: Column<ContactExport>[] = [
  {
    id: 'what',
    head: 'Contacts',
    width: '38%',
    cell: ({ filter }) => (
      <span className="row-name">
        <ExportFilter filter={filter} />
      </span>
    ),
  },
  {
    id: 'state',
    head: 'State',
    narrow: 'below',
    cell: ({ state, failure }) => (
      <span title={failure ?? undefined}>
        <ExportState state={state} />
      </span>
    ),
  },
  { id: 'rows', head: 'Rows', numeric: true, cell: ({ rows }) => numberText(rows.written) },
  { id: 'at', head: 'Made', cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
  {
    id: 'file',
    head: 'File',
    width: '136px',
    narrow: true,
    cell: ({ id, state, expiresAt }) =>
      state === 'done' ? (
        <a
          href={siteUrl('GET /contacts/exports/{id}/file', { params: { id } })}
          className="button-link button-link-default"
        >
          <DownloadIcon size={15} />
          Download
        </a>
      ) : (
        <span className="soft">{state === 'running' ? 'In a moment' : expiresAt === null ? '–' : 'Gone'}</span>
      ),
  },
]

/** Contacts as files: everybody, or those that a list was narrowed to. */
export default function ExportsPage() {
  const [url, setUrl] = useUrlState({ page: '1' })
  const query = { page: pageNumber(url.page) }
  const exports = useSite(
    'GET /contacts/exports',
    { query },
    {
      keep: true,
      pollMs: pollWhile(({ state }) => state === 'running'),
    },
  )
  const create = useAct('POST /contacts/exports', { changes: ['/contacts/exports'] })
  const exportAll = (
    <Button
      kind="primary"
      icon={FileExportIcon}
      busy={create.isPending}
      onClick={() => create.mutateAsync({ body: {} }).catch(sayProblem)}
    >
      Export everybody
    </Button>
  )
  return (
    <>
      <PageHeader
        title="Exports"
        actions={
          <>
            <AsCurl operation="GET /contacts/exports" query={query} />
            {exportAll}
          </>
        }
      >
        Files for other programs, and for another Postroom. For some of your contacts, narrow their list and export
        that.
      </PageHeader>
      <AudienceTabs />
      <PagedTable
        read={exports}
        label="Exports"
        columns={COLUMNS}
        noun="export"
        setUrl={setUrl}
        none={
          <EmptyState title="No exports yet" icon={FileExportIcon} actions={exportAll}>
            An export holds every field, tag and status as CSV. It is made in the background and kept for some days.
          </EmptyState>
        }
      />
    </>
  )
}
