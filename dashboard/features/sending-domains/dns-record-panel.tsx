import type { DnsRecordCheck } from '../../lib/site-types.ts'
import { Copyable } from '../../ui/copyable.tsx'
import { Panel } from '../../ui/panel.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { StatusBadge, type Tone } from '../../ui/status-badge.tsx'
import classes from './domains.module.css'
import { hostWithin } from './zone.ts'

export const CHECK_STATES: Readonly<Record<DnsRecordCheck['state'], { tone: Tone; name: string }>> = {
  ok: { tone: 'good', name: 'Found' },
  missing: { tone: 'warn', name: 'Missing' },
  wrong: { tone: 'bad', name: 'Wrong' },
  unknown: { tone: 'neutral', name: 'Not known yet' },
}

/** A record to publish, each part with its copy, beside what the name servers answered. */
export function DnsRecordPanel({
  title,
  purpose,
  check,
  zone,
  until = null,
}: {
  title: string
  purpose: string
  check: DnsRecordCheck
  zone: string
  until?: string | null
}) {
  const { record, state, found, detail, checkedAt } = check
  const { tone, name } = CHECK_STATES[state]
  const host = hostWithin(record.host, zone)
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
      <p className="soft">
        {purpose}
        {until !== null && (
          <>
            {' '}
            Until <RelativeTime at={until} absolute />.
          </>
        )}
      </p>
      <dl className={classes.record}>
        <div>
          <dt>Type</dt>
          <dd>
            <code>{record.type}</code>
          </dd>
        </div>
        <div>
          <dt>Host</dt>
          <dd>
            <Copyable text={host} what={`the host of ${title}`} />
            {host !== record.host && <p className={classes.whole}>In full: {record.host}</p>}
          </dd>
        </div>
        <div>
          <dt>Value</dt>
          <dd>
            <Copyable text={record.value} what={`the value of ${title}`} />
          </dd>
        </div>
        {state !== 'ok' && found.length > 0 && (
          <div data-found>
            <dt>Found instead</dt>
            <dd>
              {found.map((text) => (
                <p key={text}>
                  <code>{text}</code>
                </p>
              ))}
            </dd>
          </div>
        )}
      </dl>
      {state !== 'ok' && (
        <p className={classes.step} data-tone={tone}>
          {detail}
        </p>
      )}
    </Panel>
  )
}
