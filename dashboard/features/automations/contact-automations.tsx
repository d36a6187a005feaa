import type { ContactAutomationRun } from '../../lib/site-types.ts'
import { useSitePages } from '../../lib/use-site.ts'
import { Link } from '../../ui/link.tsx'
import { Panel } from '../../ui/panel.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { ShowMore } from '../../ui/show-more.tsx'
import { Shown } from '../../ui/states.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { RUN_STATES, reasonText } from './automation-words.ts'
import classes from './contact-automations.module.css'
import { StepOfVersion } from './step-of-version.tsx'

const RUNS_A_PAGE = 5
const POLL_MS = 5_000

/** Automations that a person is in, or was, the newest first. */
export function ContactAutomations({ contactId }: { contactId: string }) {
  const runs = useSitePages(
    'GET /contacts/{contactId}/automations',
    { params: { contactId }, query: { limit: RUNS_A_PAGE } },
    { pollMs: POLL_MS },
  )
  return (
    <Panel title="Automations">
      <Shown read={runs} rows={2}>
        {(items) =>
          items.length === 0 ? (
            <p className="soft">They have not come into any.</p>
          ) : (
            <>
              <ul className={classes.runs}>
                {items.map((run) => (
                  <li key={run.id}>
                    <Link to={`/automations/${run.automationId}/runs/${run.id}`}>{run.automationName}</Link>
                    <StatusBadge tone={RUN_STATES[run.state].tone}>{RUN_STATES[run.state].words}</StatusBadge>
                    <span className="soft">
                      <Standing run={run} />
                    </span>
                  </li>
                ))}
              </ul>
              <ShowMore more={runs.more} />
            </>
          )
        }
      </Shown>
    </Panel>
  )
}

/** Where they stand and until when, or how and when it ended. */
function Standing({ run }: { run: ContactAutomationRun }) {
  const { automationId, version, node, dueAt, endedAt, reason, error } = run
  if (endedAt !== null) {
    return (
      <>
        <RelativeTime at={endedAt} />
        {reason !== null && `: ${reasonText(reason)}`}
      </>
    )
  }
  return (
    <>
      {node !== null && <StepOfVersion automationId={automationId} version={version} node={node} />}
      {error !== null && `: ${error}`}
      {error === null && dueAt !== null && (
        <>
          {', until '}
          <RelativeTime at={dueAt} absolute />
        </>
      )}
    </>
  )
}
