import type { SessionInfo } from '../../lib/site-types.ts'
import { useAct, useSite } from '../../lib/use-site.ts'
import { Button } from '../../ui/controls.tsx'
import { Panel } from '../../ui/panel.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { Shown } from '../../ui/states.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { say, sayProblem } from '../../ui/toasts.tsx'
import classes from './account.module.css'

const SHOWN_MAX = 50

/** Where one is logged in; any of it can be ended from here. */
export function Sessions() {
  const sessions = useSite('GET /site/auth/sessions', { query: { pageSize: SHOWN_MAX } })
  const end = useAct('DELETE /site/auth/sessions/{id}', { changes: ['/site/auth/sessions'] })
  const endOthers = useAct('POST /site/auth/sessions/end-others', { changes: ['/site/auth/sessions'] })
  const others = (sessions.data?.totalItems ?? 0) > 1
  return (
    <Panel
      title="Sessions"
      flush
      actions={
        others && (
          <Button
            small
            busy={endOthers.isPending}
            onClick={() => endOthers.mutateAsync({}).then(() => say('All other sessions are over.'), sayProblem)}
          >
            End all others
          </Button>
        )
      }
    >
      <Shown read={sessions} rows={2}>
        {({ items }) => (
          <ul className={classes.sessions}>
            {items.map((session) => (
              <li key={session.id}>
                <div>
                  <p className={classes.device}>
                    {deviceText(session)} {session.current && <StatusBadge tone="good">This one</StatusBadge>}
                  </p>
                  <p className="soft">
                    {session.ip !== null && `From ${session.ip}, `}
                    seen <RelativeTime at={session.lastSeenAt} />, since <RelativeTime at={session.createdAt} />
                  </p>
                </div>
                {!session.current && (
                  <Button
                    small
                    onClick={() => end.mutateAsync({ params: { id: session.id } }).catch(sayProblem)}
                    aria-label={`End the session on ${deviceText(session)}`}
                  >
                    End
                  </Button>
                )}
              </li>
            ))}
          </ul>
        )}
      </Shown>
    </Panel>
  )
}

const BROWSERS = [
  [/Edg\//, 'Edge'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
] as const
const SYSTEMS = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
] as const

/** `Firefox on macOS`, as far as a browser says so. */
function deviceText({ userAgent }: SessionInfo): string {
  const text = userAgent ?? ''
  const browser = BROWSERS.find(([sign]) => sign.test(text))?.[1]
  const system = SYSTEMS.find(([sign]) => sign.test(text))?.[1]
  if (browser === undefined) return text === '' ? 'An unknown program' : text.slice(0, 60)
  return system === undefined ? browser : `${browser} on ${system}`
}
