import { useCan } from '../../lib/permissions.ts'
import type { ContactTopic } from '../../lib/site-types.ts'
import { useAct, useSite } from '../../lib/use-site.ts'
import { Button } from '../../ui/controls.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Shown } from '../../ui/states.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { sayProblem } from '../../ui/toasts.tsx'
import classes from './contact-topics.module.css'

const REASONS: Readonly<Record<ContactTopic['state'], (topic: ContactTopic) => string>> = {
  subscribed: () => 'said yes',
  unsubscribed: () => 'said no',
  pending: () => 'asked by mail, has not confirmed yet',
  default: ({ subscription }) => (subscription === 'everyone' ? 'said nothing; everybody gets it' : 'never subscribed'),
}

/** The topics of the workspace as they stand for a person; nothing is shown where there are none. */
export function ContactTopics({ contactId }: { contactId: string }) {
  const mayWrite = useCan()('contacts:write')
  const topics = useSite('GET /contacts/{contactId}/topics', { params: { contactId } })
  const change = useAct('PUT /contacts/{contactId}/topics/{topicId}', { changes: ['/contacts'] })
  if (topics.data?.items.length === 0) return null
  const set = ({ topicId, wanted }: ContactTopic) =>
    change
      .mutateAsync({ params: { contactId, topicId }, body: { state: wanted ? 'unsubscribed' : 'subscribed' } })
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
                  <StatusBadge tone={topic.wanted ? 'good' : 'neutral'}>
                    {topic.wanted ? 'Gets it' : 'Does not get it'}
                  </StatusBadge>
                  <span className="soft">{REASONS[topic.state](topic)}</span>
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

function actOn({ wanted, state, doubleOptIn }: ContactTopic): string {
  if (wanted) return 'Unsubscribe'
  if (!doubleOptIn) return 'Subscribe'
  return state === 'pending' ? 'Ask again' : 'Ask to subscribe'
}
