import type { FormSubmission } from '../../lib/site-types.ts'
import { useSite } from '../../lib/use-site.ts'
import { pageNumber, useUrlState } from '../../lib/use-url-state.ts'
import type { Column } from '../../ui/data-table.tsx'
import { FilterBar, FilterSelect } from '../../ui/filter-bar.tsx'
import { PagedTable } from '../../ui/paged-table.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { StatusBadge, type Tone } from '../../ui/status-badge.tsx'
import { ContactLink } from '../contacts/contact-link.tsx'
import { refusalText } from './form-words.tsx'
import classes from './forms.module.css'
import { SIGN_UPS_POLL_MS } from './stats-panel.tsx'

type State = FormSubmission['state']
const NO_FILTER = { state: '', page: '1' }
const PAGE_SIZE = 25
const STATES: Readonly<Record<State, { name: string; tone: Tone }>> = {
  pending: { name: 'Waiting', tone: 'info' },
  confirmed: { name: 'Confirmed', tone: 'good' },
  expired: { name: 'Not confirmed', tone: 'neutral' },
  refused: { name: 'Not asked', tone: 'warn' },
}

/** Everything that was filled in, newest first, without the addresses: most of these people are nobody's contact. */
export function Submissions({ id }: { id: string }) {
  const [url, setUrl] = useUrlState(NO_FILTER)
  const state = (url.state || undefined) as State | undefined
  const query = { page: pageNumber(url.page), pageSize: PAGE_SIZE, state }
  const submissions = useSite(
    'GET /forms/{id}/submissions',
    { params: { id }, query },
    { keep: true, pollMs: SIGN_UPS_POLL_MS },
  )
  return (
    <section aria-label="Filled in" className={classes.submissions}>
      <h2>Filled in</h2>
      <FilterBar active={state === undefined ? 0 : 1} onClear={() => setUrl(NO_FILTER)}>
        <FilterSelect
          label="State"
          value={url.state}
          onChange={(next) => setUrl({ state: next, page: '1' })}
          options={Object.entries(STATES).map(([value, { name }]) => ({ value, label: name.toLowerCase() }))}
        />
      </FilterBar>
      <PagedTable
        read={submissions}
        label="Filled in"
        columns={COLUMNS}
        noun="sign-up"
        setUrl={setUrl}
        none={<p className="soft">{state === undefined ? 'Nobody has filled it in yet.' : 'None is in this state.'}</p>}
      />
    </section>
  )
}

const COLUMNS: Column<FormSubmission>[] = [
  {
    id: 'state',
    head: 'State',
    narrow: true,
    cell: ({ state, reason, messageId }) => (
      <>
        <StatusBadge tone={STATES[state].tone}>{STATES[state].name}</StatusBadge>
        {reason !== null && <div className="soft">{refusalText(reason)}</div>}
        {state === 'pending' && messageId === null && (
          <div className="soft">The mail that asks them goes within ten minutes</div>
        )}
      </>
    ),
  },
  {
    id: 'contact',
    head: 'Contact',
    narrow: 'below',
    cell: ({ contactId }) =>
      contactId === null ? <span className="soft none">None</span> : <ContactLink contactId={contactId} />,
  },
  { id: 'origin', head: 'Filled in on', cell: ({ origin }) => origin ?? <span className="soft">Not known</span> },
  { id: 'created', head: 'When', narrow: 'below', cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
]
