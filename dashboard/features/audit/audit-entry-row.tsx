import type { ReactNode } from 'react'
import type { AuditEntry } from '../../lib/site-types.ts'
import { Copyable } from '../../ui/copyable.tsx'
import { KeyIcon, Terminal2Icon, UserIcon } from '../../ui/icons.tsx'
import { Link } from '../../ui/link.tsx'
import { RobotIcon } from '../../ui/rare-icons.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { actText } from './act-words.ts'
import { ACTOR_KINDS } from './actor-kind.ts'
import classes from './audit.module.css'
import type { AuditFilter } from './audit-filters.tsx'

const MARKS = { user: UserIcon, api_token: KeyIcon, operator: Terminal2Icon, system: RobotIcon } as const

/** One change in a line; opened, what it was before and after, and where it came from. */
export function AuditEntryRow({
  entry,
  onFilter,
}: {
  entry: AuditEntry
  onFilter: (change: Partial<AuditFilter>) => void
}) {
  const { actor, action, target, occurredAt } = entry
  const Mark = MARKS[actor.kind]
  return (
    <li>
      <details className={classes.entry}>
        <summary>
          <Mark size={15} />
          <span className={classes.line}>
            <strong>{actor.name ?? ACTOR_KINDS[actor.kind]}</strong> {actText(action)}{' '}
            <span className="soft">{nameOf(entry)}</span>
          </span>
          <span className={classes.when}>
            <RelativeTime at={occurredAt} />
          </span>
        </summary>
        <div className={classes.inside}>
          <Diff diff={entry.diff} />
          <dl className={classes.source}>
            <Source name="Action">
              <button type="button" className="text-button" onClick={() => onFilter({ action })}>
                {action}
              </button>
            </Source>
            <Source name="By">
              {ACTOR_KINDS[actor.kind]}
              {actor.id !== null && ` ${actor.id}`}
            </Source>
            {target.id !== null && (
              <Source name="Target">
                <TargetLink target={target} />
                <button
                  type="button"
                  className="text-button"
                  onClick={() => onFilter({ targetType: target.type, targetId: target.id ?? '' })}
                >
                  All about {target.type.replaceAll('_', ' ')} {target.id}
                </button>
              </Source>
            )}
            {entry.ip !== null && (
              <Source name="From">
                <button type="button" className="text-button" onClick={() => onFilter({ ip: entry.ip ?? '' })}>
                  {entry.ip}
                </button>
              </Source>
            )}
            {entry.userAgent !== null && <Source name="With">{entry.userAgent}</Source>}
            {entry.requestId !== null && (
              <Source name="Request">
                <Copyable text={entry.requestId} what="the request id" />
              </Source>
            )}
          </dl>
        </div>
      </details>
    </li>
  )
}

/** Pages of what is changed most, by the types that the log has for them. */
const PAGES: Readonly<Record<string, string>> = {
  automation: '/automations',
  broadcast: '/broadcasts',
  contact: '/contacts',
  form: '/forms',
  segment: '/segments',
  template: '/templates',
}

/** Leads to what was changed, by its name. */
function TargetLink({ target: { type, id, name } }: Pick<AuditEntry, 'target'>) {
  const page = PAGES[type]
  if (page === undefined || name === null) return null
  return (
    <>
      <Link to={`${page}/${id}`}>{name}</Link> ·{' '}
    </>
  )
}

function Source({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** Of what it was done to; nothing where that is whoever did it. */
function nameOf({ actor, target: { type, id, name } }: AuditEntry): string {
  return type === 'user' && actor.kind === 'user' && id === actor.id ? '' : (name ?? id ?? '')
}

/** Fields with what they were and are; what describes a person says only that it changed. */
function Diff({ diff }: { diff: AuditEntry['diff'] }) {
  const fields = Object.entries(diff)
  if (fields.length === 0) return <p className="soft">No field changed.</p>
  return (
    <table className={classes.diff}>
      <caption className="visually-hidden">What changed</caption>
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Before</th>
          <th scope="col">After</th>
        </tr>
      </thead>
      <tbody>
        {fields.map(([field, change]) => (
          <tr key={field}>
            <th scope="row">{field}</th>
            {isChange(change) ? (
              <>
                <td data-was>{valueText(change.from)}</td>
                <td data-is>{valueText(change.to)}</td>
              </>
            ) : (
              <td colSpan={2}>{valueText(change)}</td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function isChange(value: unknown): value is { from: unknown; to: unknown } {
  return typeof value === 'object' && value !== null && 'from' in value && 'to' in value
}

function valueText(value: unknown): string {
  if (value === null || value === undefined) return '–'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
