import { useInfiniteQuery } from '@tanstack/react-query'
import { wordsOf } from '../../lib/format.ts'
import type { SiteProblem } from '../../lib/problem.ts'
import { site, siteUrl } from '../../lib/site.ts'
import type { Broadcast, BroadcastRecipient, BroadcastRecipientList, BroadcastReport } from '../../lib/site-types.ts'
import { keyOf } from '../../lib/use-site.ts'
import { useUrlState } from '../../lib/use-url-state.ts'
import { Button } from '../../ui/controls.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { FilterBar, FilterSelect, SearchField } from '../../ui/filter-bar.tsx'
import { DownloadIcon, UsersIcon } from '../../ui/icons.tsx'
import { Link } from '../../ui/link.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { EmptyState, Shown } from '../../ui/states.tsx'
import { StatusBadge, type Tone } from '../../ui/status-badge.tsx'
import { FATES, reasonName, type State } from './broadcast-words.ts'
import classes from './report.module.css'

const NO_FILTER = { state: '', mark: '', link: '', reason: '', destination: '' }
const MARKS = ['opened', 'clicked', 'unsubscribed', 'bounced', 'complained'] as const
const PAGE = 50

const oneIn = <T extends string>(list: readonly T[], value: string) => list.find((one) => one === value)

type Props = { broadcast: Pick<Broadcast, 'id' | 'topicId'>; report: BroadcastReport }

/** Person by person: what became of their message, narrowed by fate, by what came back, and by link. */
export function ReportRecipients({ broadcast: { id, topicId }, report }: Props) {
  const [url, setUrl] = useUrlState(NO_FILTER)
  const states = FATES.map(({ state }) => state)
  const reasons = [
    ...new Set(
      [report.failedByReason, report.suppressedByReason, report.skippedByReason, report.uncertainByReason]
        .flat()
        .map(({ reason }) => reason),
    ),
  ]
  const filter = {
    state: oneIn<State>(states, url.state),
    mark: oneIn(MARKS, url.mark),
    link: /^\d{1,5}$/.test(url.link) ? Number(url.link) : undefined,
    reason: url.reason || undefined,
    destination: url.destination || undefined,
  }
  const params = { id }
  const recipients = useInfiniteQuery<
    BroadcastRecipientList,
    SiteProblem,
    { pages: BroadcastRecipientList[] },
    readonly unknown[],
    string | undefined
  >({
    queryKey: [...keyOf('GET /broadcasts/{id}/recipients', { params, query: filter }), 'pages'],
    queryFn: ({ pageParam, signal }) =>
      site('GET /broadcasts/{id}/recipients', { params, query: { ...filter, cursor: pageParam, limit: PAGE }, signal }),
    initialPageParam: undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  })
  const active = Object.values(filter).filter((value) => value !== undefined).length
  const options = (values: readonly string[]) => values.map((value) => ({ value, label: wordsOf(value) }))
  return (
    <div>
      <FilterBar
        active={active}
        onClear={() => setUrl(NO_FILTER)}
        end={
          <a
            className="button-link"
            href={siteUrl('GET /broadcasts/{id}/recipients/export', { params, query: filter })}
            download
          >
            <DownloadIcon size={15} />
            CSV
          </a>
        }
      >
        <SearchField
          label="Search by address"
          placeholder="Whole address"
          value={url.destination}
          onChange={(destination) => setUrl({ destination }, { replace: true })}
        />
        <FilterSelect
          label="Outcome"
          value={url.state}
          onChange={(state) => setUrl({ state, reason: '' })}
          options={FATES.map(({ state, name }) => ({ value: state, label: name }))}
        />
        <FilterSelect label="Did" value={url.mark} onChange={(mark) => setUrl({ mark })} options={options(MARKS)} />
        {reasons.length > 0 && (
          <FilterSelect
            label="Reason"
            value={url.reason}
            onChange={(reason) => setUrl({ reason })}
            options={reasons.map((value) => ({ value, label: reasonName(value, topicId) }))}
          />
        )}
        {report.links.length > 0 && (
          <FilterSelect
            label="Link"
            value={url.link}
            onChange={(link) => setUrl({ link })}
            options={report.links.map(({ position, url: address }) => ({ value: String(position), label: address }))}
          />
        )}
      </FilterBar>
      <Shown read={recipients} rows={8}>
        {({ pages }) => {
          const rows = pages.flatMap(({ items }) => items)
          return (
            <>
              {rows.length > 0 ? (
                <DataTable
                  label="Recipients"
                  columns={columnsOf(topicId)}
                  rows={rows}
                  rowId={({ messageId }) => messageId}
                  rowName={({ destination }) => destination}
                />
              ) : (
                !recipients.hasNextPage && (
                  <EmptyState title="Nobody fits" icon={UsersIcon}>
                    No recipient has all of what you filter by.
                  </EmptyState>
                )
              )}
              {recipients.hasNextPage && (
                <div className={classes.more}>
                  <Button busy={recipients.isFetchingNextPage} onClick={() => recipients.fetchNextPage()}>
                    {rows.length === 0 ? 'Look further' : 'Show more'}
                  </Button>
                </div>
              )}
            </>
          )
        }}
      </Shown>
    </div>
  )
}

const TONES: Readonly<Record<State, Tone>> = {
  accepted: 'good',
  pending: 'info',
  uncertain: 'warn',
  failed: 'bad',
  suppressed: 'warn',
  skipped: 'neutral',
}
const NAMES = Object.fromEntries(FATES.map(({ state, name }) => [state, name])) as Record<State, string>

const columnsOf = (topicId: string | null): readonly Column<BroadcastRecipient>[] => [
  {
    id: 'person',
    head: 'Person',
    width: '32%',
    cell: ({ destination, contactId, messageId }) =>
      contactId === null ? (
        <Link to={`/messages/${messageId}`}>{destination || 'Erased'}</Link>
      ) : (
        <Link to={`/contacts/${contactId}`}>{destination || 'No address'}</Link>
      ),
  },
  {
    id: 'state',
    head: 'Outcome',
    narrow: true,
    width: '130px',
    cell: ({ state }) => <StatusBadge tone={TONES[state]}>{NAMES[state]}</StatusBadge>,
  },
  {
    id: 'reason',
    head: 'Reason',
    narrow: 'below',
    cell: ({ reason, reply }) =>
      reason ? (
        reasonName(reason, topicId)
      ) : (
        <span className={reply === null ? 'soft none' : 'soft'}>{reply ?? '–'}</span>
      ),
  },
  { id: 'opened', head: 'Opened', narrow: 'below', width: '110px', cell: ({ openedAt }) => timeOf(openedAt) },
  { id: 'clicked', head: 'Clicked', narrow: 'below', width: '110px', cell: ({ clickedAt }) => timeOf(clickedAt) },
  {
    id: 'why',
    head: 'Message',
    narrow: 'below',
    width: '90px',
    cell: ({ messageId }) => <Link to={`/messages/${messageId}`}>Why?</Link>,
  },
]

const timeOf = (at: string | null) => (at === null ? <span className="soft none">–</span> : <RelativeTime at={at} />)
