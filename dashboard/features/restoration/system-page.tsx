import { numberText, wordsOf } from '../../lib/format.ts'
import type { Restoration, System } from '../../lib/site-types.ts'
import { useSite } from '../../lib/use-site.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Panel } from '../../ui/panel.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { Refused, Shown } from '../../ui/states.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { BackupsPanel } from '../backups/backups-panel.tsx'
import { LetGoOn } from './let-go-on.tsx'
import { ParkedEvents } from './parked-events.tsx'
import classes from './system.module.css'
import { BEHIND_SECONDS, parkedRows, Verdict } from './verdict.tsx'

const POLL_MS = 5_000

/** The whole installation, for whoever runs it. */
export default function SystemPage() {
  const restoration = useSite('GET /site/restoration', {})
  return (
    <>
      <PageHeader title="System">The whole installation, of all its workspaces.</PageHeader>
      <Shown read={restoration}>
        {(state) =>
          state.mayConfirm ? (
            <Fares state={state} />
          ) : (
            <Refused
              detail="It is for owners of the installation’s first workspace."
              remedy="One of them can make you another."
            />
          )
        }
      </Shown>
    </>
  )
}

function Fares({ state }: { state: Restoration }) {
  const system = useSite('GET /site/system', {}, { pollMs: POLL_MS })
  return (
    <Shown read={system}>
      {(read) => (
        <div className={classes.panels}>
          <LetGoOn state={state} />
          {system.error ? (
            <Notice tone="bad">
              {system.error.title}. This is how it was{' '}
              <RelativeTime at={new Date(system.dataUpdatedAt).toISOString()} />.
            </Notice>
          ) : (
            <Verdict state={state} system={read} />
          )}
          <ParkedEvents parked={read.parked} total={parkedRows(read)} />
          <Panel title="Readers of the log" note="each handles every event, in order" flush>
            <DataTable label="Readers of the log" columns={READERS} rows={read.readers} rowId={({ group }) => group} />
          </Panel>
          <Panel title="Queues" note="jobs that could start now" flush>
            {read.queues.length === 0 ? (
              <p className={classes.none}>Nothing waits.</p>
            ) : (
              <DataTable label="Queues" columns={QUEUES} rows={read.queues} rowId={({ queue }) => queue} />
            )}
          </Panel>
          <Panel title="Held mail" note="streams that wait for something, by what" flush>
            {read.heldStreams.length === 0 ? (
              <p className={classes.none}>No mail is held.</p>
            ) : (
              <DataTable label="Held mail" columns={HELD} rows={read.heldStreams} rowId={({ reason }) => reason} />
            )}
          </Panel>
          <Panel title="Automations" note="whether everybody in them is where the sums say, and will go on" flush>
            {read.automations.faults.length > 0 ? (
              <DataTable
                label="Automations"
                columns={FAULTS}
                rows={read.automations.faults}
                rowId={({ fault }) => fault}
              />
            ) : (
              <p className={classes.none}>
                {read.automations.checkedAt === null ? (
                  'Not looked at yet: that is done every minute.'
                ) : (
                  <>
                    Everybody is, as of <RelativeTime at={read.automations.checkedAt} />.
                  </>
                )}
              </p>
            )}
          </Panel>
          <BackupsPanel last={read.lastBackup} />
          <p className="soft">Postroom {read.version}. Read every five seconds while this page is seen.</p>
        </div>
      )}
    </Shown>
  )
}

const FAULTS: Column<System['automations']['faults'][number]>[] = [
  { id: 'is', head: 'Counted', cell: ({ is }) => is.charAt(0).toUpperCase() + is.slice(1) },
  {
    id: 'found',
    head: 'How many',
    width: '110px',
    numeric: true,
    narrow: true,
    cell: ({ found }) => numberText(found),
  },
]

const READERS: Column<System['readers'][number]>[] = [
  { id: 'group', head: 'Reader', cell: ({ group }) => wordsOf(group) },
  {
    id: 'lag',
    head: 'Behind by',
    width: '150px',
    narrow: true,
    cell: ({ lagSeconds }) => (
      <StatusBadge tone={lagSeconds > BEHIND_SECONDS ? 'warn' : 'good'}>{secondsText(lagSeconds)}</StatusBadge>
    ),
  },
  {
    id: 'parked',
    head: 'Parked',
    narrow: 'below',
    width: '150px',
    numeric: true,
    cell: ({ parkedRows, waitingRows }) =>
      waitingRows === 0 ? numberText(parkedRows) : `${numberText(parkedRows)}, ${numberText(waitingRows)} waiting`,
  },
]

const QUEUES: Column<System['queues'][number]>[] = [
  { id: 'queue', head: 'Queue', cell: ({ queue }) => queue },
  { id: 'ready', head: 'Waiting', width: '110px', numeric: true, narrow: true, cell: ({ ready }) => numberText(ready) },
  {
    id: 'oldest',
    head: 'Oldest waits for',
    narrow: 'below',
    width: '150px',
    numeric: true,
    cell: ({ oldestAgeSeconds }) => secondsText(oldestAgeSeconds),
  },
]

const HELD: Column<System['heldStreams'][number]>[] = [
  { id: 'reason', head: 'Waits because', cell: ({ reason }) => wordsOf(reason) },
  {
    id: 'streams',
    head: 'Streams',
    width: '110px',
    numeric: true,
    narrow: true,
    cell: ({ streams }) => numberText(streams),
  },
]

function secondsText(seconds: number): string {
  if (seconds < 1) return 'nothing'
  if (seconds < 120) return `${Math.round(seconds)} s`
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`
}
