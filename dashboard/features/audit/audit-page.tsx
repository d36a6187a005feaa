import { useState } from 'react'
import { lazyPart } from '../../lib/load-part.ts'
import { siteUrl } from '../../lib/site.ts'
import type { AuditEntry } from '../../lib/site-types.ts'
import { useSitePages } from '../../lib/use-site.ts'
import { useUrlState } from '../../lib/use-url-state.ts'
import { AsCurl } from '../../ui/as-curl.tsx'
import { Button } from '../../ui/controls.tsx'
import { DownloadIcon, ListDetailsIcon, ShieldIcon } from '../../ui/icons.tsx'
import { Menu } from '../../ui/menu.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { ShowMore } from '../../ui/show-more.tsx'
import { EmptyState, NoneFits, Shown } from '../../ui/states.tsx'
import classes from './audit.module.css'
import { AuditEntryRow } from './audit-entry-row.tsx'
import { AuditFilters, NO_FILTER, queryOf } from './audit-filters.tsx'

const VerifyDialog = lazyPart(() => import('./verify-dialog.tsx'))

/** Who changed what, from where, and the proof that nothing was taken out. */
export default function AuditPage() {
  const [url, setUrl] = useUrlState(NO_FILTER)
  const [isVerifying, setVerifying] = useState(false)
  const query = queryOf(url)
  const entries = useSitePages('GET /audit-entries', { query: { ...query, limit: 50 } })
  const active = Object.values(url).filter((value) => value !== '').length
  const fileOf = (format: 'csv' | 'jsonl') => siteUrl('GET /audit-entries/export', { query: { ...query, format } })
  return (
    <>
      <PageHeader
        title="Audit log"
        actions={
          <>
            <AsCurl operation="GET /audit-entries" query={query} />
            <Menu
              target={<Button icon={DownloadIcon}>Export</Button>}
              entries={[
                { label: 'These entries as CSV', href: fileOf('csv') },
                { label: 'These entries as JSON lines', href: fileOf('jsonl') },
              ]}
            />
            <Button icon={ShieldIcon} onClick={() => setVerifying(true)}>
              Verify
            </Button>
          </>
        }
      >
        Every change of this workspace: who, what, when and from where. Sealed, so that a gap shows.
      </PageHeader>
      <AuditFilters value={url} active={active} onChange={setUrl} />
      <Shown read={entries} rows={10}>
        {(items: AuditEntry[]) =>
          items.length === 0 ? (
            active > 0 ? (
              <NoneFits noun="entry" onClear={() => setUrl(NO_FILTER)} />
            ) : (
              <EmptyState title="Nothing has changed yet" icon={ListDetailsIcon}>
                The first change of this workspace stands here.
              </EmptyState>
            )
          ) : (
            <>
              <ul className={classes.entries} aria-label="Entries, newest first">
                {items.map((entry) => (
                  <AuditEntryRow key={entry.id} entry={entry} onFilter={(change) => setUrl(change)} />
                ))}
              </ul>
              <ShowMore more={entries.more} />
            </>
          )
        }
      </Shown>
      {isVerifying && <VerifyDialog onClose={() => setVerifying(false)} />}
    </>
  )
}
