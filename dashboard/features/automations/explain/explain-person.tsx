import { useState } from 'react'
import { countText } from '../../../lib/format.ts'
import { site } from '../../../lib/site.ts'
import type { AutomationExplanation } from '../../../lib/site-types.ts'
import { useSite } from '../../../lib/use-site.ts'
import { useUrlState } from '../../../lib/use-url-state.ts'
import { Button } from '../../../ui/controls.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { RelativeTime } from '../../../ui/relative-time.tsx'
import { Shown } from '../../../ui/states.tsx'
import { StatusBadge } from '../../../ui/status-badge.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { sayProblem } from '../../../ui/toasts.tsx'
import { ContactLink } from '../../contacts/contact-link.tsx'
import { RUN_STATES } from '../automation-words.ts'
import classes from '../automations.module.css'
import { type NamesOfVersions, useNamesOfVersions, versionsOf } from '../names-of-versions.ts'
import { ToldRefusal } from './told-refusal.tsx'
import { ToldRun } from './told-run.tsx'

const POLL_MS = 10_000

/** Why is somebody in it, or not? Found by address, told step by step. */
export default function ExplainPerson({ id }: { id: string }) {
  const [{ contact }, setUrl] = useUrlState({ contact: '' })
  const [email, setEmail] = useState('')
  const [unknown, setUnknown] = useState<string>()
  const find = async () => {
    const { items } = await site('GET /contacts', { query: { email: email.trim(), pageSize: 1 } })
    setUnknown(items[0] === undefined ? email.trim() : undefined)
    // Nobody's story stands below the name of somebody else.
    setUrl({ contact: items[0]?.id ?? '' })
  }
  return (
    <Panel title="Why is somebody in it, or not?">
      <form
        className={classes.find}
        onSubmit={(event) => {
          event.preventDefault()
          find().catch(sayProblem)
        }}
      >
        <TextField
          label="Email"
          type="email"
          value={email}
          error={unknown === undefined ? undefined : `Nobody here has the address ${unknown}.`}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <Button type="submit" disabled={email.trim() === ''}>
          Explain
        </Button>
      </form>
      {contact !== '' && <Story key={contact} id={id} contactId={contact} />}
    </Panel>
  )
}

function Story({ id, contactId }: { id: string; contactId: string }) {
  const request = { params: { id }, query: { contactId } }
  const told = useSite('GET /automations/{id}/explain', request, { pollMs: POLL_MS })
  const names = useNamesOfVersions(id, versionsOf(told.data?.runs ?? []))
  return (
    <Shown read={told} when={told.data !== undefined && names.areKnown} rows={3}>
      {(explanation) => (
        <section aria-label="The explanation">
          <p className={classes.found} role="status">
            <ContactLink contactId={contactId} />
            <StatusBadge tone={explanation.isInside ? 'info' : 'neutral'}>
              {explanation.isInside ? 'In it now' : 'Not in it'}
            </StatusBadge>
          </p>
          <Told automationId={id} explanation={explanation} names={names} />
        </section>
      )}
    </Shown>
  )
}

type ToldProps = { automationId: string; explanation: AutomationExplanation; names: NamesOfVersions }

function Told({ automationId, explanation, names }: ToldProps) {
  const { waits, runs, entries, mails, troubles, story } = explanation
  const [newest, ...older] = runs
  const refused = entries.filter(({ refusal }) => refusal !== null)
  return (
    <div className={classes.parts}>
      {waits && <p>An event that may bring them in waits for its turn.</p>}
      {refused.length > 0 && (
        <ul className={classes.refusals} aria-label="Refusals">
          {refused.map((entry) => (
            <ToldRefusal key={entry.entryKey} entry={entry} />
          ))}
        </ul>
      )}
      {newest && <ToldRun {...{ automationId, run: newest, mails, names }} />}
      {older.map((run) => (
        <details key={run.id}>
          <summary>
            An earlier way: came in <RelativeTime at={run.enteredAt} absolute />, {RUN_STATES[run.state].words}
          </summary>
          <ToldRun {...{ automationId, run, mails, names }} />
        </details>
      ))}
      {runs.length === RUNS_TOLD_MAX && <p className="soft">The last {countText(RUNS_TOLD_MAX, 'way', 'ways')}.</p>}
      {!waits && runs.length === 0 && refused.length === 0 && <p>{story[0]}</p>}
      {troubles.map((trouble) => (
        <p key={trouble}>{trouble}</p>
      ))}
    </div>
  )
}

/** More are not told of one person. */
const RUNS_TOLD_MAX = 10
