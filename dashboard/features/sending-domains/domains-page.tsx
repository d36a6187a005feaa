import { useState } from 'react'
import { lazyPart } from '../../lib/load-part.ts'
import { useCan } from '../../lib/permissions.ts'
import type { SendingDomain, SendingDomainRates } from '../../lib/site-types.ts'
import { useSite } from '../../lib/use-site.ts'
import { pageNumber, useUrlState } from '../../lib/use-url-state.ts'
import { AsCurl } from '../../ui/as-curl.tsx'
import { Button } from '../../ui/controls.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { FilterBar, FilterSelect, SearchField } from '../../ui/filter-bar.tsx'
import { PlusIcon, WorldIcon } from '../../ui/icons.tsx'
import { Link } from '../../ui/link.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { PagedTable } from '../../ui/paged-table.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { EmptyState, NoneFits } from '../../ui/states.tsx'
import { BOUNCES, COMPLAINTS, RateOf } from './domain-rate.tsx'
import classes from './domains.module.css'
import { VerifiedBadge } from './verified-badge.tsx'

const NewDomain = lazyPart(() => import('./new-domain.tsx'))
const NO_FILTER = { search: '', verified: '' }
const WINDOW_DAYS = 30
const PAGE_SIZE = 25

/** Domains that mail is sent from, and whether receivers can tell that it is yours. */
export default function DomainsPage() {
  const can = useCan()
  const [url, setUrl] = useUrlState({ ...NO_FILTER, page: '1' })
  const [isNew, setNew] = useState(false)
  const query = {
    search: url.search || undefined,
    verified: url.verified === '' ? undefined : url.verified === 'yes',
    page: pageNumber(url.page),
    pageSize: PAGE_SIZE,
  }
  const domains = useSite('GET /sending-domains', { query }, { keep: true })
  const rates = useSite('GET /sending-domains/rates', { query: { windowDays: WINDOW_DAYS, pageSize: 200 } })
  const active = [url.search, url.verified].filter((value) => value !== '').length
  const narrow = (change: Partial<typeof NO_FILTER>, replace = false) => setUrl({ ...change, page: '1' }, { replace })
  const add = can('sending_domains:write') && (
    <Button kind="primary" icon={PlusIcon} onClick={() => setNew(true)}>
      Add domain
    </Button>
  )
  return (
    <>
      <PageHeader
        title="Domains"
        actions={
          <>
            <AsCurl operation="GET /sending-domains" query={query} />
            {add}
          </>
        }
      >
        Mail is signed for these, so that receivers know it is yours.
      </PageHeader>
      {(active > 0 || (domains.data?.totalItems ?? 0) > 0) && (
        <FilterBar active={active} onClear={() => narrow(NO_FILTER)}>
          <SearchField label="Search domains" value={url.search} onChange={(search) => narrow({ search }, true)} />
          <FilterSelect
            label="Verified"
            value={url.verified}
            onChange={(verified) => narrow({ verified })}
            options={[
              { value: 'yes', label: 'yes' },
              { value: 'no', label: 'not yet' },
            ]}
          />
        </FilterBar>
      )}
      <PagedTable
        read={domains}
        label="Domains"
        columns={columnsOf(new Map(rates.data?.items.map((one) => [one.sendingDomainId, one])))}
        noun="domain"
        setUrl={setUrl}
        none={
          active > 0 ? (
            <NoneFits noun="domain" onClear={() => narrow(NO_FILTER)} />
          ) : (
            <EmptyState title="No domain yet" icon={WorldIcon} actions={add}>
              Add the domain of the address you send from. You get three records for its DNS, and this page tells when
              each is found.
            </EmptyState>
          )
        }
      />
      {isNew && <NewDomain onClose={() => setNew(false)} />}
    </>
  )
}

function columnsOf(rates: ReadonlyMap<string, SendingDomainRates>): Column<SendingDomain>[] {
  return [
    {
      id: 'domain',
      head: 'Domain',
      cell: ({ id, domain }) => (
        <Link to={`/domains/${id}`} className={classes.name}>
          {domain}
        </Link>
      ),
    },
    {
      id: 'verified',
      head: 'State',
      width: '148px',
      narrow: true,
      cell: ({ verified, domain }) => <VerifiedBadge verified={verified} domain={domain} />,
    },
    {
      id: 'bounces',
      narrow: 'below',
      head: 'Came back, 30 days',
      width: '150px',
      numeric: true,
      cell: ({ id }) => <RateOf rate={rates.get(id)?.bounceRate} line={BOUNCES} />,
    },
    {
      id: 'complaints',
      narrow: 'below',
      head: 'Complained, 30 days',
      width: '160px',
      numeric: true,
      cell: ({ id }) => <RateOf rate={rates.get(id)?.complaintRate} line={COMPLAINTS} />,
    },
    {
      id: 'checked',
      head: 'Checked',
      width: '130px',
      cell: ({ lastCheckedAt }) =>
        lastCheckedAt === null ? <span className="soft">Not yet</span> : <RelativeTime at={lastCheckedAt} />,
    },
  ]
}
