import { useState } from 'react'
import { lazyPart } from '../../lib/load-part.ts'
import { useCan } from '../../lib/permissions.ts'
import { siteUrl } from '../../lib/site.ts'
import type { Suppression } from '../../lib/site-types.ts'
import { useAct, useSite } from '../../lib/use-site.ts'
import { pageNumber, useUrlState } from '../../lib/use-url-state.ts'
import { AsCurl } from '../../ui/as-curl.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Button, IconButton } from '../../ui/controls.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { FilterBar, FilterSelect, SearchField } from '../../ui/filter-bar.tsx'
import { ArrowBackIcon, BanIcon, DotsIcon, DownloadIcon, PlusIcon, UploadIcon } from '../../ui/icons.tsx'
import { Menu } from '../../ui/menu.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { PagedTable } from '../../ui/paged-table.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { EmptyState, NoneFits } from '../../ui/states.tsx'
import { StatusBadge, type Tone } from '../../ui/status-badge.tsx'
import { MessageLink } from '../emails/message-link.tsx'
import { RefusalTabs } from './refusal-tabs.tsx'

const SuppressAddress = lazyPart(() => import('./suppress-address.tsx'))
const ImportSuppressions = lazyPart(() => import('./import-suppressions.tsx'))

const REASONS: Readonly<Record<Suppression['reason'], { words: string; tone: Tone; meaning: string }>> = {
  bounce: { words: 'Bounced', tone: 'bad', meaning: 'The address does not exist any more.' },
  complaint: { words: 'Complained', tone: 'bad', meaning: 'Its owner reported a message as spam.' },
  manual: { words: 'By hand', tone: 'neutral', meaning: 'Somebody put it on the list.' },
}
const REASON_OPTIONS = Object.entries(REASONS).map(([value, { words }]) => ({ value, label: words }))

/** Addresses that are mailed nothing, whatever is asked. */
export default function SuppressionsPage() {
  const can = useCan()
  const [url, setUrl] = useUrlState({ destination: '', reason: '', page: '1' })
  const [act, setAct] = useState<'add' | 'import'>()
  const [lifted, setLifted] = useState<Suppression>()
  const lift = useAct('DELETE /suppressions/{id}', { changes: ['/suppressions'] })
  const query = {
    destination: url.destination || undefined,
    reason: (url.reason || undefined) as Suppression['reason'] | undefined,
    page: pageNumber(url.page),
  }
  const list = useSite('GET /suppressions', { query }, { keep: true })
  const mayWrite = can('suppressions:write')
  const isFiltered = query.destination !== undefined || query.reason !== undefined
  const showAll = () => setUrl({ destination: '', reason: '', page: '1' })
  return (
    <>
      <PageHeader
        title="Suppressions"
        actions={
          <>
            <AsCurl operation="GET /suppressions" query={query} />
            {mayWrite && (
              <Button kind="primary" icon={PlusIcon} onClick={() => setAct('add')}>
                Suppress an address
              </Button>
            )}
            <Menu
              target={<IconButton label="More" icon={DotsIcon} tooltip={false} />}
              entries={[
                { label: 'Download the list (CSV)', icon: DownloadIcon, href: siteUrl('GET /suppressions/export', {}) },
                ...(mayWrite ? [{ label: 'Import a list', icon: UploadIcon, onSelect: () => setAct('import') }] : []),
              ]}
            />
          </>
        }
      >
        Addresses that are mailed nothing: they bounced, complained, or were put here.
      </PageHeader>
      <RefusalTabs current="suppressed" />
      <FilterBar active={isFiltered ? 1 : 0} onClear={showAll}>
        <SearchField
          label="Find an address"
          placeholder="The whole address"
          value={url.destination}
          onChange={(destination) => setUrl({ destination, page: '1' }, { replace: true })}
        />
        <FilterSelect
          label="Reason"
          value={url.reason}
          options={REASON_OPTIONS}
          onChange={(reason) => setUrl({ reason, page: '1' })}
        />
      </FilterBar>
      <PagedTable
        read={list}
        label="Suppressed addresses"
        columns={columnsOf(mayWrite ? setLifted : undefined)}
        noun="address"
        nouns="addresses"
        setUrl={setUrl}
        none={
          isFiltered ? (
            <NoneFits noun="suppression" title="Not on the list" onClear={showAll} />
          ) : (
            <EmptyState
              title="Nobody is suppressed"
              icon={BanIcon}
              actions={
                mayWrite && (
                  <Button icon={UploadIcon} onClick={() => setAct('import')}>
                    Import the list of another service
                  </Button>
                )
              }
            >
              Addresses that bounce for good or complain come here by themselves. Bring the list of your service before.
            </EmptyState>
          )
        }
      />
      {act === 'add' && <SuppressAddress onClose={() => setAct(undefined)} />}
      {act === 'import' && <ImportSuppressions onClose={() => setAct(undefined)} />}
      {lifted && (
        <ConfirmDialog
          title="Lift the suppression"
          opened
          onClose={() => setLifted(undefined)}
          action="Mail it again"
          onConfirm={() => lift.mutateAsync({ params: { id: lifted.id } })}
        >
          <p>
            <strong>{lifted.destination}</strong> is mailed again. It comes back here when it bounces or complains once
            more, and each of these costs you some of your reputation.
          </p>
        </ConfirmDialog>
      )}
    </>
  )
}

function columnsOf(onLift: ((one: Suppression) => void) | undefined): Column<Suppression>[] {
  return [
    {
      id: 'destination',
      head: 'Address',
      width: '34%',
      cell: ({ destination }) => <span className="row-name">{destination}</span>,
    },
    {
      id: 'reason',
      head: 'Reason',
      width: '132px',
      narrow: true,
      cell: ({ reason }) => (
        <StatusBadge tone={REASONS[reason].tone} title={REASONS[reason].meaning}>
          {REASONS[reason].words}
        </StatusBadge>
      ),
    },
    {
      id: 'detail',
      head: 'Receiver said',
      narrow: 'below',
      cell: ({ detail }) => detail ?? <span className="soft none">–</span>,
    },
    { id: 'message', head: 'Message', narrow: 'below', cell: ({ messageId }) => <MessageLink messageId={messageId} /> },
    {
      id: 'since',
      head: 'Since',
      width: '110px',
      narrow: 'below',
      cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
    },
    ...(onLift
      ? [
          {
            id: 'acts',
            head: '',
            width: '56px',
            narrow: true,
            cell: (one: Suppression) => (
              <IconButton
                label={`Lift the suppression of ${one.destination}`}
                icon={ArrowBackIcon}
                onClick={() => onLift(one)}
              />
            ),
          },
        ]
      : []),
  ]
}
