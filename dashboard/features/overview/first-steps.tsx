import type { ReactNode } from 'react'
import { hasPage } from '../../lib/pages-here.ts'
import { useCan, useHere } from '../../lib/permissions.ts'
import { useAct, useSite } from '../../lib/use-site.ts'
import { Button } from '../../ui/controls.tsx'
import { CheckIcon } from '../../ui/icons.tsx'
import { ButtonLink } from '../../ui/link.tsx'
import { Panel } from '../../ui/panel.tsx'
import { say, sayProblem } from '../../ui/toasts.tsx'
import SampleContacts from '../contacts/sample-contacts.tsx'
import { leadsToMailbox } from '../integrations/leads-to-mailbox.ts'
import classes from './overview.module.css'

const ONE = { pageSize: 1 }
const ALL = { pageSize: 100 }
const POLL_MS = 3_000
/** The first start's name for a workspace that nobody has named. */
const UNNAMED = 'Default'

type Step = { name: string; why: string; done: boolean; acts?: ReactNode }

type Props = { reads: ReturnType<typeof useFirstSteps> }

/** The way from nothing to mail that arrives, ticked by what there is and not by clicks. It goes when it is done. */
export function FirstSteps({ reads }: Props) {
  const can = useCan()
  const steps = useSteps(reads)
  if (steps === undefined || !can('broadcasts:write')) return null
  const left = steps.filter(({ done }) => !done).length
  if (left === 0) return null
  return (
    <Panel title="First steps" note={`${steps.length - left} of ${steps.length}`} flush>
      <ol className={classes.steps}>
        {steps.map(({ name, why, done, acts }, index) => (
          <li key={name} className={classes.step} data-done={done || undefined}>
            <span className={classes.tick}>{done ? <CheckIcon size={13} /> : index + 1}</span>
            <div>
              <span className={classes.name}>{name}</span>
              <span className="visually-hidden">{done ? ', done' : ', still to do'}</span>
              {!done && <p>{why}</p>}
            </div>
            {!done && <div className={classes.acts}>{acts}</div>}
          </li>
        ))}
      </ol>
    </Panel>
  )
}

/** What tells how far things are. */
export function useFirstSteps() {
  const can = useCan()
  return {
    messages: useSite('GET /messages', { query: { limit: 1 } }, { enabled: can('contacts:read'), pollMs: POLL_MS }),
    contacts: useSite('GET /contacts', { query: ONE }, { enabled: can('contacts:read') }),
    segments: useSite('GET /segments', { query: ONE }, { enabled: can('segments:read') }),
    sent: useSite('GET /broadcasts', { query: { ...ONE, status: 'sent' } }, { enabled: can('broadcasts:read') }),
    // One waits for the last of its people, and may for days.
    sending: useSite('GET /broadcasts', { query: { ...ONE, status: 'sending' } }, { enabled: can('broadcasts:read') }),
    domains: useSite('GET /sending-domains', { query: ALL }, { enabled: can('sending_domains:read') }),
    integrations: useSite('GET /integrations', { query: ALL }, { enabled: can('integrations:read') }),
  }
}

/** Undefined while it is not known how far things are. */
function useSteps({
  messages,
  contacts,
  segments,
  sent,
  sending,
  domains,
  integrations,
}: Props['reads']): Step[] | undefined {
  const can = useCan()
  const { workspace } = useHere()
  if (
    !messages.data ||
    !contacts.data ||
    !segments.data ||
    !sent.data ||
    !sending.data ||
    !domains.data ||
    !integrations.data
  )
    return undefined
  const standard = integrations.data.items.find(({ isDefault }) => isDefault)
  const naming: Step = {
    name: 'Name your workspace',
    why: 'Your readers see its name when they confirm or unsubscribe.',
    done: false,
    acts: <Way to="/settings">To settings</Way>,
  }
  return [
    // Asked until it has one: a name that was given at the start is no step.
    ...(workspace.name === UNNAMED && can('workspace:write') ? [naming] : []),
    {
      name: 'See a mail arrive',
      why: 'It goes to your own address and ends in the mailbox of this machine.',
      done: messages.data.items.length > 0,
      acts: standard && leadsToMailbox(standard) && can('emails:send') ? <FirstMail /> : undefined,
    },
    {
      name: 'Bring your contacts',
      why: 'A file of any mail program, your own program, or eight samples to try things with.',
      done: contacts.data.totalItems > 0,
      acts: (
        <>
          <SampleContacts />
          <Way to="/contacts/imports/new">Import a file</Way>
        </>
      ),
    },
    {
      name: 'Make a segment',
      why: 'People who fit a rule, counted exactly while you write it.',
      done: segments.data.totalItems > 0,
      acts: <Way to="/segments/new">New segment</Way>,
    },
    {
      name: 'Send a broadcast',
      why: 'To a segment or everybody. While mail stays here nobody can get it by mistake.',
      done: sent.data.totalItems + sending.data.totalItems > 0,
      acts: <Way to="/broadcasts">To broadcasts</Way>,
    },
    {
      name: 'Verify your domain',
      why: 'Three DNS records, and receivers know that your mail is yours.',
      done: domains.data.items.some(({ verified }) => verified),
      acts: <Way to="/domains">To domains</Way>,
    },
    {
      name: 'Send for real',
      why: 'A mail server or Amazon SES as the default integration, and mail leaves this machine.',
      done: standard !== undefined && !leadsToMailbox(standard),
      acts: <Way to="/integrations">To integrations</Way>,
    },
  ]
}

function Way({ to, children }: { to: string; children: string }) {
  return hasPage(to) ? <ButtonLink to={to}>{children}</ButtonLink> : null
}

function FirstMail() {
  const { user, workspace } = useHere()
  const send = useAct('POST /emails', { changes: ['/messages'] })
  const act = () => {
    const body = {
      destination: user.email,
      subject: 'Your first mail',
      text: 'It works. This mail went all the way: queued, signed, handed over, and taken by the mailbox of this machine.',
      html: '<h1>It works.</h1><p>This mail went all the way: queued, signed, handed over, and taken by the mailbox of this machine.</p>',
    }
    send.mutateAsync({ body }).then(() => say('On its way: look into the mailbox.'), sayProblem)
  }
  return (
    <>
      <Button kind="primary" busy={send.isPending} onClick={act}>
        Send me one
      </Button>
      <a className="button-link button-link-default" href={`/app/mailbox/${workspace.slug}`}>
        Open the mailbox
      </a>
    </>
  )
}
