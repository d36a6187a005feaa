import { useState } from 'react'
import { site } from '../../lib/site.ts'
import { useSite } from '../../lib/use-site.ts'
import { useUrlState } from '../../lib/use-url-state.ts'
import { Button } from '../../ui/controls.tsx'
import { Link } from '../../ui/link.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Shown } from '../../ui/states.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { sayProblem } from '../../ui/toasts.tsx'
import { ToldText } from '../../ui/told-text.tsx'
import { ContactLink } from '../contacts/contact-link.tsx'
import classes from './automations.module.css'

/** Why is somebody in it, or not? Found by address, told in sentences. */
export default function ExplainPerson({ id }: { id: string }) {
  const [{ contact }, setUrl] = useUrlState({ contact: '' })
  const [email, setEmail] = useState('')
  const [unknown, setUnknown] = useState<string>()
  const find = async () => {
    const { items } = await site('GET /contacts', { query: { email: email.trim(), pageSize: 1 } })
    setUnknown(items[0] === undefined ? email.trim() : undefined)
    if (items[0] !== undefined) setUrl({ contact: items[0].id })
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
  const told = useSite('GET /automations/{id}/explain', { params: { id }, query: { contactId } })
  return (
    <Shown read={told} rows={3}>
      {({ isInside, story, runs }) => (
        <div role="status">
          <p className={classes.found}>
            <ContactLink contactId={contactId} />
            <StatusBadge tone={isInside ? 'info' : 'neutral'}>{isInside ? 'In it now' : 'Not in it'}</StatusBadge>
            {runs[0] && <Link to={`/automations/${id}/runs/${runs[0].id}`}>The last way through it</Link>}
          </p>
          <ol className={classes.story}>
            {story.map((sentence) => (
              <li key={sentence}>
                <ToldText>{sentence}</ToldText>
              </li>
            ))}
          </ol>
        </div>
      )}
    </Shown>
  )
}
