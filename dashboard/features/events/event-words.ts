import type { TimelineEvent } from '../../lib/site-types.ts'

type Properties = TimelineEvent['properties']

/** A property as a name in a sentence: `“VIP”`; empty where the event does not have it. */
const named = (properties: Properties, name: string) => {
  const value = properties[name]
  return typeof value === 'string' && value !== '' ? ` “${value}”` : ''
}

const machine = ({ machine: isMachine }: Properties) => (isMachine === true ? ' by a machine' : '')

/** The page that was seen: by its title, else by its address. */
export function pageText(properties: Properties): string {
  return (named(properties, 'title') || named(properties, 'url')).trim()
}

/** Events of the system itself and of its tracker in a person's words; those that a program names keep its name. */
const WORDS: Readonly<Record<string, (properties: Properties) => string>> = {
  'contact.created': () => 'Became a contact',
  'contact.updated': ({ changed }) =>
    Array.isArray(changed) && changed.length > 0 ? `Changed: ${changed.join(', ')}` : 'Changed',
  'contact.identified': () => 'Recognised in a browser',
  'contact.tagged': (properties) => `Tagged${named(properties, 'tag')}`,
  'contact.untagged': (properties) => `Tag taken away${named(properties, 'tag')}`,
  'contact.merged': () => 'Merged with another contact',
  'segment.entered': (properties) => `Came into the segment${named(properties, 'name')}`,
  'segment.left': (properties) => `Went out of the segment${named(properties, 'name')}`,
  'email.sent': () => 'Mail accepted by its server',
  'email.opened': (properties) => `Mail opened${machine(properties)}`,
  'email.clicked': (properties) => `Link followed${machine(properties)}`,
  'email.unsubscribed': () => 'Unsubscribed',
  'email.bounced': () => 'Mail came back',
  'email.complained': () => 'Mail reported as spam',
  'page.view': (properties) => `Saw ${pageText(properties) || 'a page'}`,
  'marketing.confirmed': () => 'Confirmed that they want mail',
  'form.confirmed': () => 'Confirmed a sign-up by a form',
  'automation.entered': (properties) => `Came into the automation${named(properties, 'name')}`,
  'automation.completed': (properties) => `Came to the end of the automation${named(properties, 'name')}`,
  'automation.exited': (properties) => `Left the automation${named(properties, 'name')}`,
  'automation.goal_reached': (properties) => `Reached the goal of the automation${named(properties, 'name')}`,
}

/** What happened, in words; undefined for events that have none but their own name. */
export function eventText({ action, properties }: Pick<TimelineEvent, 'action' | 'properties'>): string | undefined {
  return Object.hasOwn(WORDS, action) ? WORDS[action]!(properties) : undefined
}
