import type { SendingDomainChecks } from '../../lib/site-types.ts'
import { Panel } from '../../ui/panel.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { CHECK_STATES } from './dns-record-panel.tsx'
import classes from './domains.module.css'

type Finding = NonNullable<SendingDomainChecks['returnPath']>['spf']

/** A finding about the way that mail takes, which nobody publishes for the domain itself: what was found, and the step to take. */
export function WayPanel({ title, purpose, check }: { title: string; purpose: string; check: Finding }) {
  const { state, found, detail, checkedAt } = check
  const { tone, name } = CHECK_STATES[state]
  return (
    <Panel
      title={title}
      note={<StatusBadge tone={tone}>{name}</StatusBadge>}
      actions={
        checkedAt !== null && (
          <span className={classes.checked}>
            Looked up <RelativeTime at={checkedAt} />
          </span>
        )
      }
    >
      <p className="soft">{purpose}</p>
      {found.length > 0 && (
        <dl className={classes.record}>
          <div>
            <dt>Found</dt>
            <dd>
              {found.map((text) => (
                <p key={text}>
                  <code>{text}</code>
                </p>
              ))}
            </dd>
          </div>
        </dl>
      )}
      <p className={classes.step} data-tone={tone}>
        {detail}
      </p>
    </Panel>
  )
}
