import { useState } from 'react'
import { lazyPart } from '../../lib/load-part.ts'
import { useCan } from '../../lib/permissions.ts'
import type { Unsubscribe } from '../../lib/site-types.ts'
import { useAct, useSite } from '../../lib/use-site.ts'
import { pageNumber, useUrlState } from '../../lib/use-url-state.ts'
import { AsCurl } from '../../ui/as-curl.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Button, IconButton } from '../../ui/controls.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { FilterBar, SearchField } from '../../ui/filter-bar.tsx'
import { ArrowBackIcon } from '../../ui/icons.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { PagedTable } from '../../ui/paged-table.tsx'
import { MailOffIcon } from '../../ui/rare-icons.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { MessageLink } from '../emails/message-link.tsx'
import { RefusalTabs } from '../suppression/refusal-tabs.tsx'
import { SourceName } from './source-name.tsx'

const UnsubscribeDialog = lazyPart(() => import('./unsubscribe-dialog.tsx'))

/** Addresses that want some mail no more, and which. */
export default function UnsubscribesPage() {
  const can = useCan()
  const [url, setUrl] = useUrlState({ destination: '', page: '1' })
  const [taken, setTaken] = useState<Unsubscribe>()
  const [isAdding, setAdding] = useState(false)
  const remove = useAct('DELETE /unsubscribes/{id}', { changes: ['/unsubscribes'] })
  const query = { destination: url.destination || undefined, page: pageNumber(url.page) }
  const list = useSite('GET /unsubscribes', { query }, { keep: true })
  return (
    <>
      <PageHeader
        title="Unsubscribes"
        actions={
          <>
            <AsCurl operation="GET /unsubscribes" query={query} />
            {can('contacts:write') && (
              <Button icon={MailOffIcon} onClick={() => setAdding(true)}>
                Unsubscribe an address
              </Button>
            )}
          </>
        }
      >
        Who wants which mail no more. Receipts and the like still reach them.
      </PageHeader>
      <RefusalTabs current="unsubscribed" />
      <FilterBar>
        <SearchField
          label="Find an address"
          placeholder="The whole address"
          value={url.destination}
          onChange={(destination) => setUrl({ destination, page: '1' }, { replace: true })}
        />
      </FilterBar>
      <PagedTable
        read={list}
        label="Unsubscribed addresses"
        columns={columnsOf(can('contacts:write') ? setTaken : undefined)}
        noun="unsubscribe"
        setUrl={setUrl}
        none={
          <EmptyState
            title={url.destination === '' ? 'Nobody has unsubscribed' : 'This address has not'}
            icon={MailOffIcon}
          >
            Every marketing mail has a link to leave by, and the button of the mail program. Those who use them stand
            here, and whoever asks you otherwise.
          </EmptyState>
        }
      />
      {isAdding && <UnsubscribeDialog onClose={() => setAdding(false)} />}
      {taken && (
        <ConfirmDialog
          title="Subscribe them again"
          opened
          onClose={() => setTaken(undefined)}
          action="They asked for it"
          onConfirm={() => remove.mutateAsync({ params: { id: taken.id } })}
        >
          <p>
            <strong>{taken.destination}</strong> gets <SourceName source={taken.sendingSource} /> again. Do so only at
            their own wish: your name is kept with it.
          </p>
        </ConfirmDialog>
      )}
    </>
  )
}

function columnsOf(onTake: ((one: Unsubscribe) => void) | undefined): Column<Unsubscribe>[] {
  return [
    {
      id: 'destination',
      head: 'Address',
      width: '36%',
      cell: ({ destination }) => <span className="row-name">{destination}</span>,
    },
    {
      id: 'source',
      head: 'Wants no more',
      narrow: 'below',
      cell: ({ sendingSource }) => <SourceName source={sendingSource} />,
    },
    {
      id: 'message',
      head: 'By the link of',
      narrow: 'below',
      cell: ({ messageId }) => <MessageLink messageId={messageId} />,
    },
    {
      id: 'since',
      head: 'Since',
      width: '120px',
      narrow: 'below',
      cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
    },
    ...(onTake
      ? [
          {
            id: 'acts',
            head: '',
            width: '56px',
            narrow: true,
            cell: (one: Unsubscribe) => (
              <IconButton
                label={`Subscribe ${one.destination} again`}
                icon={ArrowBackIcon}
                onClick={() => onTake(one)}
              />
            ),
          },
        ]
      : []),
  ]
}
