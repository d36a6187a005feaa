import { useState } from 'react'
import { wordsOf } from '../../lib/format.ts'
import type { Email } from '../../lib/site-types.ts'
import { useSite } from '../../lib/use-site.ts'
import { MailIcon } from '../../ui/icons.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { EmptyState, Shown } from '../../ui/states.tsx'
import classes from './contact-messages.module.css'
import { MessageExplanation } from './message-explanation.tsx'
import { MessageStatus } from './message-status.tsx'
import { useSourceNames } from './source-names.ts'

const MESSAGES_SHOWN = 50
const WHY: Partial<Record<Email['status'], string>> = {
  queued: 'Why does it wait?',
  sent: 'Why did they get it?',
  uncertain: 'Did they get it?',
}

/** What was sent to an address, and what was not: each says why. */
export function ContactMessages({ email }: { email: string | null }) {
  const messages = useSite(
    'GET /messages',
    { query: { destination: email ?? '', limit: MESSAGES_SHOWN } },
    { enabled: email !== null },
  )
  const { nameOf } = useSourceNames()
  if (email === null) {
    return (
      <EmptyState title="No address, no mail" icon={MailIcon}>
        Mail goes to addresses. Add one to this contact, and what is sent to it stands here.
      </EmptyState>
    )
  }
  return (
    <Shown read={messages}>
      {({ items, nextCursor }) =>
        items.length === 0 ? (
          <EmptyState title="Nothing was sent yet" icon={MailIcon}>
            Every mail to this person appears here, with the reason why it arrived or did not.
          </EmptyState>
        ) : (
          <>
            <ul className={classes.messages}>
              {items.map((message) => (
                <Message key={message.id} message={message} source={nameOf(message)} />
              ))}
            </ul>
            {nextCursor !== undefined && <p className="soft">The newest {MESSAGES_SHOWN} are shown.</p>}
          </>
        )
      }
    </Shown>
  )
}

function Message({ message, source }: { message: Email; source: string | undefined }) {
  const [isOpen, setOpen] = useState(false)
  const title = message.subject ?? source ?? `${wordsOf(message.surface)} message`
  return (
    <li className={classes.message}>
      <div className={classes.head}>
        <span className={classes.subject}>{title}</span>
        <MessageStatus message={message} />
      </div>
      <div className={classes.foot}>
        <span className="soft">
          {wordsOf(message.surface)}
          {message.purpose !== message.surface && `, ${message.purpose}`}, <RelativeTime at={message.createdAt} />
        </span>
        <button type="button" className={classes.why} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {WHY[message.status] ?? 'Why did they not get it?'}
        </button>
      </div>
      {isOpen && <MessageExplanation messageId={message.id} />}
    </li>
  )
}
