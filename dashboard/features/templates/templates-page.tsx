import { useCan } from '../../lib/permissions.ts'
import type { TemplateSummary } from '../../lib/site-types.ts'
import { useSite } from '../../lib/use-site.ts'
import { pageNumber, useUrlState } from '../../lib/use-url-state.ts'
import { AsCurl } from '../../ui/as-curl.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { FilterBar, SearchField } from '../../ui/filter-bar.tsx'
import { PlusIcon, TemplateIcon } from '../../ui/icons.tsx'
import { ButtonLink, Link } from '../../ui/link.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { PagedTable } from '../../ui/paged-table.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { EmptyState, NoneFits } from '../../ui/states.tsx'
import { TemplateTabs } from './template-tabs.tsx'

const DEFAULTS = { search: '', page: '1', pageSize: '25' }

/** Mails to begin with, for broadcasts and for programs that send by id. */
export default function TemplatesPage() {
  const can = useCan()
  const [url, setUrl] = useUrlState(DEFAULTS)
  const query = { search: url.search || undefined, page: pageNumber(url.page), pageSize: Number(url.pageSize) || 25 }
  const templates = useSite('GET /templates', { query }, { keep: true })
  const showAll = () => setUrl({ search: '', page: '1' })
  const create = can('templates:write') && (
    <ButtonLink kind="primary" icon={PlusIcon} to="/templates/new">
      New template
    </ButtonLink>
  )
  return (
    <>
      <PageHeader
        title="Templates"
        actions={
          <>
            <AsCurl operation="GET /templates" query={query} />
            {create}
          </>
        }
      >
        Mails that are written once and used again, with every version kept.
      </PageHeader>
      <TemplateTabs />
      <FilterBar active={url.search ? 1 : 0} onClear={showAll}>
        <SearchField
          label="Search templates"
          placeholder="Name"
          value={url.search}
          onChange={(search) => setUrl({ search, page: '1' }, { replace: true })}
        />
      </FilterBar>
      <PagedTable
        read={templates}
        loadingRows={6}
        label="Templates"
        columns={COLUMNS}
        rowName={({ name }) => name}
        noun="template"
        setUrl={setUrl}
        sized
        none={
          url.search ? (
            <NoneFits noun="template" onClear={showAll}>
              No template has this in its name.
            </NoneFits>
          ) : (
            <EmptyState title="No template yet" icon={TemplateIcon} actions={create}>
              A template is a mail with gaps: names, orders, links. Begin with one of the gallery, or with your own
              MJML.
            </EmptyState>
          )
        }
      />
    </>
  )
}

const COLUMNS: readonly Column<TemplateSummary>[] = [
  {
    id: 'name',
    head: 'Template',
    width: '36%',
    cell: ({ id, name }) => (
      <Link to={`/templates/${id}`} className="row-name">
        {name}
      </Link>
    ),
  },
  {
    id: 'subject',
    head: 'Subject',
    narrow: 'below',
    cell: ({ subject }) => subject || <span className="soft none">–</span>,
  },
  { id: 'version', head: 'Version', numeric: true, width: '90px', cell: ({ version }) => version },
  {
    id: 'updated',
    head: 'Changed',
    width: '130px',
    narrow: 'below',
    cell: ({ updatedAt }) => <RelativeTime at={updatedAt} />,
  },
]
