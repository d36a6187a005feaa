import { countText, numberText, wordsOf } from '../../lib/format.ts'
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

const POLL_MS = 5_000
/** A reader that is further behind than this is told to be. */
const BEHIND_SECONDS = 30
/** Jobs wait for others of their queue; so long only where none is at work, or too few are. */
const WAITING_SECONDS = 120
const BACKUP_OLD_MS = 2 * 86_400_000

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
            <Refused detail="It is for owners of the installation’s first workspace." />
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
          <BackupsPanel last={read.lastBackup} />
          <p className="soft">Postroom {read.version}. Read every five seconds while this page is seen.</p>
        </div>
      )}
    </Shown>
  )
}

const isOld = (backup: System['lastBackup']) =>
  backup !== null && Date.now() - Date.parse(backup.takenAt) > BACKUP_OLD_MS

/** Those that only wait for another reader are rows of their own. */
const parkedRows = ({ readers }: System) => readers.reduce((sum, one) => sum + one.parkedRows, 0)

/** What is wrong, if anything, in a sentence each. */
function Verdict({ state, system }: { state: Restoration; system: System }) {
  const { takesWrites, lastBackup, readers, queues, heldStreams } = system
  const parked = readers.reduce((sum, { parkedRows, waitingRows }) => sum + parkedRows - waitingRows, 0)
  const behind = readers.filter(({ lagSeconds }) => lagSeconds > BEHIND_SECONDS)
  const waiting = queues.filter(({ oldestAgeSeconds }) => oldestAgeSeconds > WAITING_SECONDS)
  const held = heldStreams.reduce((sum, { streams }) => sum + streams, 0)
  const faults = [
    !takesWrites &&
      'The database takes no writes: its disk is full, or it can only be read. Nothing is accepted or sent meanwhile.',
    state.isCopy && 'It runs as a copy: its mail stays in the mailbox.',
    parked > 0 &&
      `${countText(parked, 'event is', 'events are')} parked: see below why, and try again once that is mended.`,
    behind.length > 0 && `Behind: ${behind.map(({ group }) => wordsOf(group)).join(', ')}.`,
    waiting.length > 0 &&
      `Jobs wait long: ${waiting.map(({ queue }) => queue).join(', ')}. Look whether processes work (ROLE all or worker).`,
    isOld(lastBackup) && 'The last backup is older than two days: look whether it is still taken every night.',
    held > 0 && `${countText(held, 'stream', 'streams')} of mail wait for something that has to be mended.`,
  ].filter((fault) => fault !== false)
  if (faults.length === 0)
    return state.held ? null : <Notice tone="good">All is well: nothing is behind, parked or held.</Notice>
  return (
    <div className={classes.faults}>
      {faults.map((fault) => (
        <Notice key={fault} tone="warn">
          {fault}
        </Notice>
      ))}
    </div>
  )
}

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
