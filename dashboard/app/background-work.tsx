import { useIsFetching } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { countText, numberText, shareText } from '../lib/format.ts'
import { hasPage } from '../lib/pages-here.ts'
import { useCan } from '../lib/permissions.ts'
import { useSite } from '../lib/use-site.ts'
import { RefreshIcon } from '../ui/icons.tsx'
import { Link } from '../ui/link.tsx'
import { Popover } from '../ui/popover.tsx'
import classes from './background-work.module.css'

const BUSY_POLL_MS = 2_000
const IDLE_POLL_MS = 20_000
const LIST = { pageSize: 10 }

type Work = { id: string; name: string; done: number; total: number; to: string | undefined }

/** Everything that runs without anybody waiting: imports, exports, moves, bulk acts, broadcasts. It is the same on every page and after a reload. */
export default function BackgroundWork() {
  const work = useWork()
  if (work.length === 0) return null
  return (
    <Popover
      label="Running in the background"
      target={
        <button type="button" className={classes.chip}>
          <RefreshIcon size={14} />
          {countText(work.length, 'thing')} running
        </button>
      }
    >
      <ul className={classes.list}>
        {work.map(({ id, name, done, total, to }) => (
          <li key={id}>
            {to === undefined ? <span className={classes.name}>{name}</span> : <Link to={to}>{name}</Link>}
            <progress max={Math.max(total, 1)} value={done} aria-label={name} />
            <span className="soft numbers">
              {numberText(done)} of {numberText(total)}, {shareText(done, total)}
            </span>
          </li>
        ))}
      </ul>
    </Popover>
  )
}

type FileOfPeople = { created: number; updated: number; unchanged: number; failed: number }

const rowsOf = ({ created, updated, unchanged, failed }: FileOfPeople) => created + updated + unchanged + failed

/** Whether the page has once waited for nothing of its own. */
function useIsPageRead(): boolean {
  const isReading = useIsFetching() > 0
  const [isRead, setRead] = useState(false)
  useEffect(() => {
    if (!isReading) setRead(true)
  }, [isReading])
  return isRead
}

/**
 * Asked for behind what the page itself waits for, and one after the other: a browser has six connections to a server, of
 * which these would take five.
 */
function useWork(): Work[] {
  const can = useCan()
  const [isBusy, setBusy] = useState(false)
  const pollMs = isBusy ? BUSY_POLL_MS : IDLE_POLL_MS
  const mayReadContacts = can('contacts:read')
  const isRead = useIsPageRead()
  const first = { enabled: mayReadContacts && isRead, pollMs }
  const imports = useSite('GET /contacts/imports', { query: LIST }, first)
  const exports = useSite('GET /contacts/exports', { query: LIST }, { enabled: imports.isFetched, pollMs })
  const bulk = useSite('GET /contacts/bulk-acts', { query: LIST }, { enabled: exports.isFetched, pollMs })
  const moves = useSite('GET /moves', { query: LIST }, { enabled: bulk.isFetched, pollMs })
  const isNext = mayReadContacts ? moves.isFetched : isRead
  const sending = useSite(
    'GET /broadcasts',
    { query: { ...LIST, status: 'sending' } },
    { enabled: can('broadcasts:read') && isNext, pollMs },
  )
  const page = (path: string, to: string) => (hasPage(path) ? to : undefined)
  const work = [
    ...(imports.data?.items ?? [])
      .filter(({ state }) => state === 'running')
      .map(({ id, fileName, rows }) => ({
        id: `import-${id}`,
        name: `Import of ${fileName ?? 'a file'}`,
        done: rows.read,
        total: rows.total,
        to: page('/contacts/imports/$importId', `/contacts/imports/${id}`),
      })),
    ...(exports.data?.items ?? [])
      .filter(({ state }) => state === 'running')
      .map(({ id, rows }) => ({
        id: `export-${id}`,
        name: 'Export of contacts',
        done: rows.written,
        total: rows.total,
        to: page('/contacts/exports', '/contacts/exports'),
      })),
    ...(bulk.data?.items ?? [])
      .filter(({ state }) => state === 'running')
      .map(({ id, act, tag, contacts }) => ({
        id: `bulk-${id}`,
        name: { tag: `Giving the tag “${tag}”`, untag: `Taking off the tag “${tag}”`, erase: 'Erasing contacts' }[act],
        done: contacts.done,
        total: contacts.total,
        to: undefined,
      })),
    ...(moves.data?.items ?? [])
      .filter(({ state }) => state === 'reading' || state === 'running')
      .map(({ id, name, state, foreseen, moved }) => ({
        id: `move-${id}`,
        name: state === 'reading' ? `Reading ${name}` : `Moving here from ${name}`,
        done: state === 'reading' ? foreseen.people.total : moved.people.reduce((sum, one) => sum + rowsOf(one), 0),
        total: foreseen.people.total,
        to: page('/moves/$moveId', `/moves/${id}`),
      })),
    ...(sending.data?.items ?? []).map(({ id, name, counts }) => ({
      id: `broadcast-${id}`,
      name,
      done: counts.recipientsTotal - counts.pendingCount,
      total: counts.recipientsTotal,
      to: page('/broadcasts/$broadcastId', `/broadcasts/${id}`),
    })),
  ]
  const runs = work.length > 0
  useEffect(() => setBusy(runs), [runs])
  return work
}
