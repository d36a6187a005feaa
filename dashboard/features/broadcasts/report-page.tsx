import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { countText, numberText, shareText } from '../../lib/format.ts'
import { lazyPart } from '../../lib/load-part.ts'
import type { Broadcast, BroadcastExplanation, BroadcastReport } from '../../lib/site-types.ts'
import { subjectWords } from '../../lib/subject-words.ts'
import { areKnown } from '../../lib/use-known.ts'
import { keyOf, useSite } from '../../lib/use-site.ts'
import { useUrlState } from '../../lib/use-url-state.ts'
import { AccountedBar } from '../../ui/accounted-bar.tsx'
import { AsCurl } from '../../ui/as-curl.tsx'
import { Link } from '../../ui/link.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Panel } from '../../ui/panel.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { Stat, Stats } from '../../ui/stat.tsx'
import { Loading, Shown } from '../../ui/states.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { ToldText } from '../../ui/told-text.tsx'
import { BroadcastActs } from './broadcast-acts.tsx'
import { BroadcastMenu } from './broadcast-menu.tsx'
import { countOf, FATES, isMoving, reasonText, STATUSES } from './broadcast-words.ts'
import { useKeptPlan } from './kept-when.ts'
import { LeftOutWords } from './left-out-words.tsx'
import classes from './report.module.css'
import { ReportLinks } from './report-links.tsx'
import { ENDED_MS, LIVE_MS, reportPollMs } from './report-poll.ts'
import { ReportRecipients } from './report-recipients.tsx'
import { ReportSeries } from './report-series.tsx'
import { SendingPace } from './sending-pace.tsx'
import { UnopenedPanel } from './unopened-panel.tsx'

const PlannedBroadcast = lazyPart(() => import('./planned-broadcast.tsx'), <Loading rows={8} />)
const ReportHeatMap = lazyPart(() => import('./report-heat-map.tsx'), <Loading rows={8} />)
const SERIES_MS = 10_000

/** What becomes and became of everybody: while it goes out, and for ever after. */
export default function ReportPage({ broadcast }: { broadcast: Broadcast }) {
  const { id } = broadcast
  const params = { id }
  const [{ tab }] = useUrlState({ tab: 'report' })
  const read = useSite('GET /broadcasts/{id}/report', { params }, { pollMs: reportPollMs })
  useKeptPlan(broadcast)
  useSameStatus(broadcast, read)
  // It was asked for along with the broadcast, which may have been a draft by then.
  const isOlder = read.data?.status === 'draft' && broadcast.status !== 'draft'
  const report = isOlder ? { ...read, data: undefined } : read
  const status = report.data?.status ?? broadcast.status
  const isFollowed = isLive(status)
  const explanation = useSite(
    'GET /broadcasts/{id}/explain',
    { params },
    { enabled: isFollowed || (report.data?.uncertainCount ?? 0) > 0, pollMs: isFollowed && LIVE_MS },
  )
  const here = `/broadcasts/${id}`
  return (
    <>
      <PageHeader
        title={broadcast.name}
        back={{ to: '/broadcasts', label: 'Broadcasts' }}
        badge={
          <StatusBadge tone={STATUSES[status].tone} title={STATUSES[status].meaning}>
            {STATUSES[status].words}
          </StatusBadge>
        }
        actions={
          <>
            <AsCurl operation="GET /broadcasts/{id}/report" params={params} />
            {report.data && <BroadcastActs id={id} report={report.data} />}
            <BroadcastMenu broadcast={broadcast} />
          </>
        }
      >
        {subjectWords(broadcast.subject)}
      </PageHeader>
      <Shown read={report} when={areKnown(explanation)}>
        {(found) => (
          <div className={classes.page}>
            <LeftOutWords broadcast={broadcast} />
            <Where broadcast={broadcast} report={found} explanation={explanation.data} />
            {found.recipientsTotal === 0 && isPlanned(found.status) && <PlannedBroadcast broadcast={broadcast} />}
            {found.recipientsTotal > 0 && (
              <>
                <Tabs
                  label="About this broadcast"
                  tabs={[
                    { label: 'Report', to: here, current: tab !== 'recipients' && tab !== 'clicks' },
                    { label: 'Heat map', to: here, search: { tab: 'clicks' }, current: tab === 'clicks' },
                    { label: 'Recipients', to: here, search: { tab: 'recipients' }, current: tab === 'recipients' },
                  ]}
                />
                {tab === 'recipients' && <ReportRecipients broadcast={broadcast} report={found} />}
                {tab === 'clicks' && <ReportHeatMap id={id} />}
                {tab !== 'recipients' && tab !== 'clicks' && <Report id={id} report={found} />}
              </>
            )}
          </div>
        )}
      </Shown>
    </>
  )
}

/** Reads the broadcast anew while its report says that it stands elsewhere: it may be a draft again by now, or have failed. */
function useSameStatus({ id, status }: Broadcast, read: { data: BroadcastReport | undefined; dataUpdatedAt: number }) {
  const client = useQueryClient()
  const { data, dataUpdatedAt } = read
  const isOther = data !== undefined && data.status !== status
  // biome-ignore lint/correctness/useExhaustiveDependencies: each report that differs asks again
  useEffect(() => {
    const queryKey = [...keyOf('GET /broadcasts/{id}', { params: { id } }), 'tagged']
    if (isOther) void client.invalidateQueries({ queryKey }, { cancelRefetch: false })
  }, [client, id, isOther, dataUpdatedAt])
}

/** Whether its numbers may change from one moment to the next. */
const isLive = (status: BroadcastReport['status']) => isMoving(status) || status === 'paused'

/** Whether it is still to begin. */
const isPlanned = (status: BroadcastReport['status']) => status === 'draft' || status === 'scheduled'

type WhereProps = { broadcast: Broadcast; report: BroadcastReport; explanation: BroadcastExplanation | undefined }

/** Where it stands: the sum of everybody, and one sentence on why it does not move, or not faster. */
function Where({ broadcast, report, explanation }: WhereProps) {
  const { id } = broadcast
  return (
    <Panel
      title="Everybody"
      note={
        report.startedAt && (
          <>
            Started <RelativeTime at={report.startedAt} />
          </>
        )
      }
    >
      <div className={classes.where}>
        {broadcast.failure !== null && <Notice tone="bad">{broadcast.failure}</Notice>}
        {isLive(report.status) && explanation && (
          <Notice tone={report.holdReason === null ? 'info' : 'warn'}>
            <ToldText>{explanation.summary}</ToldText>
            {report.status !== 'scheduled' && <Deferred explanation={explanation} />}
          </Notice>
        )}
        {report.recipientsTotal > 0 ? (
          <AccountedBar
            label="People"
            total={report.recipientsTotal}
            parts={FATES.map(({ state, ...fate }) => ({
              ...fate,
              count: countOf(report, state),
              link: (content) => (
                <Link to={`/broadcasts/${id}`} search={{ tab: 'recipients', state }}>
                  {content}
                </Link>
              ),
            }))}
          />
        ) : (
          <p className="soft">
            {report.status === 'sending'
              ? 'Its audience is being gathered.'
              : `Nobody has been written to${isPlanned(report.status) ? ' yet' : ''}.`}
          </p>
        )}
        {report.status === 'canceled' && report.pendingCount > 0 && (
          <p className="soft">Nothing more goes out: who waits is skipped soon.</p>
        )}
        {report.status === 'sending' && <SendingPace report={report} />}
        <Reasons report={report} topicId={broadcast.topicId} />
      </div>
    </Panel>
  )
}

/** Until when its next messages wait, where that is known, and what servers have said to them before. */
function Deferred({ explanation: { summary, findings } }: { explanation: BroadcastExplanation }) {
  const delay = findings.find(({ verdict, detail }) => verdict === 'delays' && detail === summary)
  if (!delay?.at || Date.parse(delay.at) < Date.now()) return null
  const before = findings.find(({ subject }) => subject === 'attempts')
  return (
    <>
      {' '}
      It goes <RelativeTime at={delay.at} />.{before && <ToldText>{` ${before.detail}`}</ToldText>}
    </>
  )
}

function Reasons({ report, topicId }: { report: BroadcastReport; topicId: string | null }) {
  const groups = [
    { title: 'Failed', reasons: report.failedByReason },
    { title: 'Suppressed', reasons: report.suppressedByReason },
    { title: 'Skipped', reasons: report.skippedByReason },
    { title: 'Uncertain', reasons: report.uncertainByReason },
  ].filter(({ reasons }) => reasons.length > 0)
  if (groups.length === 0) return null
  return (
    <div className={classes.reasons}>
      {groups.map(({ title, reasons }) => (
        <div key={title}>
          <h3>{title}</h3>
          <ul>
            {reasons.map(({ reason, count }) => (
              <li key={reason}>{reasonText(reason, count, topicId)}</li>
            ))}
          </ul>
        </div>
      ))}
    </div>
  )
}

function Report({ id, report }: { id: string; report: BroadcastReport }) {
  const of = report.acceptedCount
  return (
    <div className={classes.page}>
      <Panel title="What people did" flush>
        <Stats>
          <Stat label="Opened" value={shareText(report.openedCount, of)}>
            {countText(report.openedCount, 'person', 'people')}
          </Stat>
          <Stat label="Clicked" value={shareText(report.clickedCount, of)}>
            {countText(report.clickedCount, 'person', 'people')}
          </Stat>
          <Stat label="Unsubscribed" value={shareText(report.unsubscribedCount, of)}>
            {countText(report.unsubscribedCount, 'person', 'people')}
          </Stat>
          <Stat label="Bounced" value={shareText(report.bouncedCount, report.recipientsTotal)}>
            {countText(report.bouncedCount, 'message')}
          </Stat>
          <Stat label="Complained" value={shareText(report.complainedCount, of)}>
            {countText(report.complainedCount, 'person', 'people')}
          </Stat>
        </Stats>
        <p className={classes.statsFoot}>
          Shares of the {countText(of, 'message')} accepted. Bounces are a share of all{' '}
          {numberText(report.recipientsTotal)}, whether they came back later or were refused at once.
        </p>
      </Panel>
      <Panel title="What machines did" note="in no number above" flush>
        <Stats>
          <Stat label="Opened by machines" value={numberText(report.machineOpenedCount)}>
            proxies and scanners that fetched the picture
          </Stat>
          <Stat label="Clicked by machines" value={numberText(report.machineClickedCount)}>
            scanners that followed a link
          </Stat>
        </Stats>
      </Panel>
      <div className={classes.act}>
        <UnopenedPanel id={id} report={report} />
      </div>
      <ReportSeries id={id} pollMs={isMoving(report.status) ? SERIES_MS : ENDED_MS} />
      <ReportLinks id={id} links={report.links} />
    </div>
  )
}
