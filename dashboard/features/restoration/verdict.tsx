import { countText, wordsOf } from '../../lib/format.ts'
import type { Restoration, System } from '../../lib/site-types.ts'
import { Notice } from '../../ui/notice.tsx'
import classes from './system.module.css'

/** A reader that is further behind than this is told to be. */
export const BEHIND_SECONDS = 30
/** Jobs wait for others of their queue; so long only where none is at work, or too few are. */
const WAITING_SECONDS = 120
const BACKUP_OLD_MS = 2 * 86_400_000

const isOld = (backup: System['lastBackup']) =>
  backup !== null && Date.now() - Date.parse(backup.takenAt) > BACKUP_OLD_MS

/** Those that only wait for another reader are rows of their own. */
export const parkedRows = ({ readers }: System) => readers.reduce((sum, one) => sum + one.parkedRows, 0)

/** What is wrong, if anything, in a sentence each. */
export function Verdict({ state, system }: { state: Restoration; system: System }) {
  const { takesWrites, lastBackup, failedBackup, readers, queues, heldStreams, automations } = system
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
    automations.faults.length > 0 && 'Somebody in an automation is not where they should be: see below.',
    failedBackup !== null && `The backup of the night has failed: ${failedBackup.error}. Take one once that is mended.`,
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
