import { useCan } from '../../lib/permissions.ts'
import type { ContactTopic } from '../../lib/site-types.ts'
import { useAct, useSite } from '../../lib/use-site.ts'
import { Button } from '../../ui/controls.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Shown } from '../../ui/states.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { sayProblem } from '../../ui/toasts.tsx'
import { reasonText } from '../emails/reason-words.ts'
import classes from './contact-topics.module.css'

/** The topics of the workspace as they stand for a person; nothing is shown where there are none. */
export function ContactTopics({ contactId }: { contactId: string }) {
  const mayWrite = useCan()('contacts:write')
  const topics = useSite('GET /contacts/{contactId}/topics', { params: { contactId } })
  const change = useAct('PUT /contacts/{contactId}/topics/{topicId}', { changes: ['/contacts'] })
  if (topics.data?.items.length === 0) return null
  const set = (topic: ContactTopic) =>
    change
      .mutateAsync({
        params: { contactId, topicId: topic.topicId },
        body: { state: isYes(topic) ? 'unsubscribed' : 'subscribed' },
      })
      .catch(sayProblem)
  return (
    <Panel title="Topics">
      <Shown read={topics} rows={2}>
        {({ items }) => (
          <ul className={classes.topics}>
            {items.map((topic) => (
              <li key={topic.topicId}>
                <span>
                  <strong>{topic.name}</strong>
                  <StatusBadge tone={topic.reason === null ? 'good' : 'neutral'}>
                    {topic.reason === null ? 'Gets it' : 'Does not get it'}
                  </StatusBadge>
                  <span className="soft">{whyText(topic)}</span>
                </span>
                {mayWrite && (
                  <Button small onClick={() => void set(topic)} busy={change.isPending}>
                    {actOn(topic)}
                    <span className="visually-hidden"> {topic.name}</span>
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

/** What they said, and where something else keeps its mail from them, that. */
function whyText({ state, reason, subscription }: ContactTopic): string {
  const said = state === 'default' ? '' : SAID[state]
  if (reason === null) return said || (subscription === 'everyone' ? 'said nothing; everybody gets it' : 'said yes')
  if (reason === 'not_subscribed') return said || 'never subscribed'
  if (reason === 'unsubscribed_source') return said || 'unsubscribed from broadcasts'
  return said ? `${said}; ${reasonText(reason)}` : reasonText(reason)
}

const SAID: Readonly<Record<Exclude<ContactTopic['state'], 'default'>, string>> = {
  subscribed: 'said yes',
  unsubscribed: 'said no',
  pending: 'asked by mail, has not confirmed yet',
}

/** Whether all that they have said is a yes; with a no to everything a yes to one topic brings no mail. */
const isYes = ({ wanted, state }: ContactTopic) => wanted || state === 'subscribed'

function actOn(topic: ContactTopic): string {
  const { state, doubleOptIn } = topic
  if (isYes(topic)) return 'Unsubscribe'
  if (!doubleOptIn) return 'Subscribe'
  return state === 'pending' ? 'Ask again' : 'Ask to subscribe'
}
