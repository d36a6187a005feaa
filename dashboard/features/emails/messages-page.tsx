import { useInfiniteQuery } from '@tanstack/react-query'
import { countText, wordsOf } from '../../lib/format.ts'
import { useCan } from '../../lib/permissions.ts'
import type { SiteProblem } from '../../lib/problem.ts'
import { site } from '../../lib/site.ts'
import type { Email, EmailList } from '../../lib/site-types.ts'
import { keyOf, useSite } from '../../lib/use-site.ts'
import { useUrlState } from '../../lib/use-url-state.ts'
import { AsCurl } from '../../ui/as-curl.tsx'
import { Button } from '../../ui/controls.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { FilterBar, FilterSelect, SearchField } from '../../ui/filter-bar.tsx'
import { MailIcon } from '../../ui/icons.tsx'
import { ButtonLink, Link } from '../../ui/link.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { EmptyState, NoneFits, Shown } from '../../ui/states.tsx'
import { MessageStatus, STATUSES } from './message-status.tsx'
import classes from './messages.module.css'
import { reasonText } from './reason-words.ts'
import { type SourceNameOf, useSourceNames } from './source-names.ts'

const NO_FILTER = { destination: '', status: '', surface: '', templateId: '', since: '' }
const SURFACES = ['broadcast', 'automation', 'transactional', 'confirmation', 'test'] as const
const PAGE = 50
const TEMPLATES_SHOWN = 200
const DAY_MS = 86_400_000
const SPANS = [
  { value: '1', label: 'the last day' },
  { value: '7', label: 'the last 7 days' },
  { value: '30', label: 'the last 30 days' },
]

/** Everything that was sent, and what was not, newest first. */
export default function MessagesPage() {
  const [url, setUrl] = useUrlState(NO_FILTER)
  const status = url.status in STATUSES ? (url.status as Email['status']) : undefined
  const filter = {
    destination: url.destination || undefined,
    status,
    surface: SURFACES.find((one) => one === url.surface),
    templateId: /^\d{1,19}$/.test(url.templateId) ? url.templateId : undefined,
    from: sinceOf(url.since),
  }
  const messages = useInfiniteQuery<
    EmailList,
    SiteProblem,
    { pages: EmailList[] },
    readonly unknown[],
    string | undefined
  >({
    queryKey: [...keyOf('GET /messages', { query: filter }), 'pages'],
    queryFn: ({ pageParam, signal }) =>
      site('GET /messages', { query: { ...filter, cursor: pageParam, limit: PAGE }, signal }),
    initialPageParam: undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  })
  const columns = columnsOf(useSourceNames().nameOf)
  const active = Object.values(filter).filter((value) => value !== undefined).length
  return (
    <>
      <PageHeader title="Messages" actions={<AsCurl operation="GET /messages" query={{ ...filter, limit: PAGE }} />}>
        Every mail to every person, and why it arrived or did not.
      </PageHeader>
      <FilterBar active={active} onClear={() => setUrl(NO_FILTER)}>
        <SearchField
          label="Search by address"
          placeholder="Whole address"
          value={url.destination}
          onChange={(destination) => setUrl({ destination }, { replace: true })}
        />
        <FilterSelect
          label="State"
          value={url.status}
          onChange={(next) => setUrl({ status: next })}
          options={Object.entries(STATUSES).map(([value, { words }]) => ({ value, label: words }))}
        />
        <FilterSelect
          label="Kind"
          value={url.surface}
          onChange={(surface) => setUrl({ surface })}
          options={SURFACES.map((value) => ({ value, label: wordsOf(value) }))}
        />
        <TemplateFilter value={url.templateId} onChange={(templateId) => setUrl({ templateId })} />
        <FilterSelect label="Made" value={url.since} onChange={(since) => setUrl({ since })} options={SPANS} />
      </FilterBar>
      <Shown read={messages} rows={10}>
        {({ pages }) => {
          const rows = pages.flatMap(({ items }) => items)
          if (rows.length === 0 && !messages.hasNextPage)
            return <Nothing onClear={active > 0 ? () => setUrl(NO_FILTER) : undefined} />
          return (
            <>
              {rows.length > 0 && (
                <DataTable
                  label="Messages"
                  columns={columns}
                  rows={rows}
                  rowId={({ id }) => id}
                  rowName={({ destination }) => destination}
                />
              )}
              <div className={classes.more}>
                <span className="soft numbers" role="status">
                  {countText(rows.length, 'message')} shown{messages.hasNextPage ? ', there are more' : ''}
                </span>
                {messages.hasNextPage && (
                  <Button busy={messages.isFetchingNextPage} onClick={() => messages.fetchNextPage()}>
                    {rows.length === 0 ? 'Look further' : 'Show older'}
                  </Button>
                )}
              </div>
            </>
          )
        }}
      </Shown>
    </>
  )
}

function Nothing({ onClear }: { onClear: (() => void) | undefined }) {
  const can = useCan()
  return onClear ? (
    <NoneFits noun="message" onClear={onClear} />
  ) : (
    <EmptyState
      title="Nothing was sent yet"
      icon={MailIcon}
      actions={can('broadcasts:write') && <ButtonLink to="/broadcasts/new">New broadcast</ButtonLink>}
    >
      Mail of broadcasts and automations, and what your program sends, stands here, each with its story.
    </EmptyState>
  )
}

function TemplateFilter({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const can = useCan()
  const templates = useSite(
    'GET /templates',
    { query: { pageSize: TEMPLATES_SHOWN } },
    { enabled: can('templates:read') },
  )
  const options = (templates.data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }))
  return options.length === 0 ? null : (
    <FilterSelect label="Template" value={value} onChange={onChange} options={options} />
  )
}

/** To the hour, so that the same filter asks the same for a while. */
function sinceOf(days: string): string | undefined {
  const count = Number(days)
  if (!Number.isInteger(count) || count < 1 || count > 400) return undefined
  const at = new Date(Date.now() - count * DAY_MS)
  at.setUTCMinutes(0, 0, 0)
  return at.toISOString()
}

const columnsOf = (sourceName: SourceNameOf): readonly Column<Email>[] => [
  {
    id: 'message',
    head: 'Message',
    width: '40%',
    cell: (message) => (
      <div className={classes.message}>
        <Link to={`/messages/${message.id}`} className={classes.to}>
          {message.destination || 'Erased'}
        </Link>
        <span className={classes.subject}>
          {message.subject ?? sourceName(message) ?? `${wordsOf(message.surface)} message`}
        </span>
      </div>
    ),
  },
  {
    id: 'status',
    head: 'State',
    width: '130px',
    narrow: true,
    cell: (message) => <MessageStatus message={message} />,
  },
  {
    id: 'kind',
    head: 'Kind',
    width: '150px',
    cell: ({ surface, broadcastId, automationId }) => {
      if (broadcastId !== null) return <Link to={`/broadcasts/${broadcastId}`}>Broadcast</Link>
      // One that was deleted has no page, and no name.
      const isThere = automationId !== null && sourceName({ broadcastId, automationId }) !== undefined
      return isThere ? <Link to={`/automations/${automationId}`}>Automation</Link> : wordsOf(surface)
    },
  },
  {
    id: 'reason',
    head: 'Reason',
    cell: ({ reason }) => (reason === null ? <span className="soft none">–</span> : wordsOf(reasonText(reason))),
  },
  { id: 'at', head: 'Made', width: '130px', cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
]
