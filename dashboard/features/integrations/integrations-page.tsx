import { numberText } from '../../lib/format.ts'
import { useCan } from '../../lib/permissions.ts'
import type { Integration } from '../../lib/site-types.ts'
import { useSite } from '../../lib/use-site.ts'
import { pageNumber, useUrlState } from '../../lib/use-url-state.ts'
import { AsCurl } from '../../ui/as-curl.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { PlugIcon, PlusIcon } from '../../ui/icons.tsx'
import { ButtonLink, Link } from '../../ui/link.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { PagedTable } from '../../ui/paged-table.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { IntegrationBadges } from './integration-badges.tsx'
import { limitsText, providerText } from './integration-words.ts'
import classes from './integrations.module.css'

/** Servers and accounts that mail leaves through. */
export default function IntegrationsPage() {
  const can = useCan()
  const [url, setUrl] = useUrlState({ page: '1' })
  const query = { page: pageNumber(url.page), pageSize: 25 }
  const integrations = useSite('GET /integrations', { query }, { keep: true })
  const add = can('integrations:write') && (
    <ButtonLink kind="primary" icon={PlusIcon} to="/integrations/new">
      New integration
    </ButtonLink>
  )
  return (
    <>
      <PageHeader
        title="Integrations"
        actions={
          <>
            <AsCurl operation="GET /integrations" query={query} />
            {add}
          </>
        }
      >
        What mail leaves through: a mail server, or an account of Amazon SES.
      </PageHeader>
      <PagedTable
        read={integrations}
        label="Integrations"
        columns={COLUMNS}
        noun="integration"
        setUrl={setUrl}
        none={
          <EmptyState title="Nothing to send through yet" icon={PlugIcon} actions={add}>
            Any service that speaks SMTP will do: its host, a user name and a password. Nothing is sent before you have
            tested it.
          </EmptyState>
        }
      />
    </>
  )
}

const COLUMNS: Column<Integration>[] = [
  {
    id: 'name',
    head: 'Name',
    cell: (integration) => (
      <span className={classes.lines}>
        <Link to={`/integrations/${integration.id}`} className={classes.name}>
          {integration.name}
        </Link>
        <span className={classes.soft}>{providerText(integration)}</span>
      </span>
    ),
  },
  {
    id: 'state',
    head: 'State',
    width: 'clamp(160px, 15vw, 190px)',
    narrow: true,
    cell: (integration) => <IntegrationBadges integration={integration} />,
  },
  { id: 'from', head: 'Sends as', cell: ({ config }) => config.from },
  {
    id: 'limits',
    head: 'Limits',
    width: '180px',
    cell: ({ sendLimit }) => <span className="soft">{limitsText(sendLimit)}</span>,
  },
  {
    id: 'sent',
    head: 'Sent in 24 hours',
    width: '130px',
    numeric: true,
    cell: ({ sendLimit }) => numberText(sendLimit.sentLast24h),
  },
]
