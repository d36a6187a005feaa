import { useState } from 'react'
import { useCan } from '../../lib/permissions.ts'
import type { NewIdentityKey } from '../../lib/site-types.ts'
import { useSite } from '../../lib/use-site.ts'
import { Button } from '../../ui/controls.tsx'
import { Panel } from '../../ui/panel.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { Shown } from '../../ui/states.tsx'
import { MakeKey, RevokeKey, ShownKey } from './identity-key-acts.tsx'
import classes from './trackers.module.css'

const LIVE_MAX = 2

/** Keys by which the workspace's own server says for certain who somebody is. */
export function IdentityKeys({ trackerId }: { trackerId: string }) {
  const can = useCan()
  const keys = useSite('GET /trackers/{id}/identity-keys', { params: { id: trackerId } })
  const [made, setMade] = useState<NewIdentityKey>()
  const [revoked, setRevoked] = useState<string>()
  const isFull = (keys.data?.items.length ?? 0) >= LIVE_MAX
  return (
    <Panel
      title="Identity keys"
      note="For your server"
      actions={can('trackers:write') && <MakeKey trackerId={trackerId} isFull={isFull} onMade={setMade} />}
    >
      <div className={classes.site}>
        <p className="words">
          Your server signs with one of these who has logged in, and the page hands it on. Only then is a visitor known
          for certain. To change a key: make a second, change over, revoke the first.
        </p>
        <Shown read={keys}>
          {({ items }) =>
            items.length === 0 ? (
              <p className="soft">None yet: visitors are known by what pages and mails say.</p>
            ) : (
              <ul className={classes.list} aria-label="Identity keys">
                {items.map(({ kid, createdAt }) => (
                  <li key={kid} className={classes.key}>
                    <span>
                      <code>{kid}</code>{' '}
                      <span className="soft">
                        made <RelativeTime at={createdAt} />
                      </span>
                    </span>
                    {can('trackers:write') && (
                      <Button onClick={() => setRevoked(kid)} aria-label={`Revoke key ${kid}`}>
                        Revoke
                      </Button>
                    )}
                  </li>
                ))}
              </ul>
            )
          }
        </Shown>
      </div>
      {made && <ShownKey made={made} onClose={() => setMade(undefined)} />}
      <RevokeKey
        trackerId={trackerId}
        kid={revoked}
        isLast={keys.data?.items.length === 1}
        onClose={() => setRevoked(undefined)}
      />
    </Panel>
  )
}
