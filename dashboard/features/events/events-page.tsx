import { useUrlState } from '../../lib/use-url-state.ts'
import { AsCurl } from '../../ui/as-curl.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { EventNames } from './event-names.tsx'
import { LiveEvents } from './live-events.tsx'

/** What happens, as it happens, and the names it goes by. */
export default function EventsPage() {
  const [{ tab, action }] = useUrlState({ tab: 'live', action: '' })
  return (
    <>
      <PageHeader
        title="Events"
        actions={
          tab === 'names' ? (
            <AsCurl operation="GET /events/actions" query={{}} />
          ) : (
            <AsCurl operation="GET /events" query={{ action: action || undefined }} />
          )
        }
      >
        What your programs record of people, and what mail brought about.
      </PageHeader>
      <Tabs
        label="Events"
        tabs={[
          { label: 'Live', to: '/events', current: tab !== 'names' },
          { label: 'Names', to: '/events', search: { tab: 'names' }, current: tab === 'names' },
        ]}
      />
      {tab === 'names' ? <EventNames /> : <LiveEvents />}
    </>
  )
}
