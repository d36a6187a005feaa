import type { MessageState, SkipReason } from '../message-states.ts'
import { type Rule, type Stoppable, sendingSourceOf } from './refusal.ts'

/** The rule behind a reason; null where there is none, but somebody who took the message back. */
const RULE_OF: Readonly<Record<SkipReason, Rule | null>> = {
  no_email: 'address',
  contact_gone: 'contact',
  unsubscribed_everything: 'everything',
  unsubscribed_source: 'source',
  not_subscribed: 'topic',
  unproven: 'proof',
  unconfirmed: 'consent',
  canceled: null,
  run_ended: null,
  too_late: null,
  quiet_hours: null,
  frequency_cap: null,
}

/** The rule that has refused a message; null for one that was refused by none. */
export function ruleOf(state: MessageState, reason: string | null): Rule | null {
  if (state === 'suppressed') return 'suppression'
  return state === 'skipped' && reason !== null ? (RULE_OF[reason as SkipReason] ?? null) : null
}

const SKIPS: Readonly<Record<Exclude<SkipReason, 'unsubscribed_source'>, string>> = {
  no_email: 'the contact had no email address',
  contact_gone: 'the contact is no longer there',
  unsubscribed_everything: 'the person wants no marketing mail at all',
  not_subscribed: 'its topic goes only to those who have subscribed to it, and this contact has not',
  unproven: 'the address of this contact was stated by a page alone, and nobody has proven that it is theirs',
  unconfirmed: 'the workspace mails only those who are known to have agreed, and this contact is not',
  canceled: 'it was canceled',
  run_ended: 'something happened that ends the automation for this person',
  too_late: 'the automation was paused, and it was to be sent too long ago when that ended',
  quiet_hours: 'the quiet hours of the person would have ended after it was too late for it',
  frequency_cap: 'the person had as much marketing mail as the workspace allows, and there was no room in time',
}

/** A message, and the name of the topic or the automation it is of. */
export type NamedOrigin = Stoppable & { name?: string | null }

/**
 * Why a message was or will not be sent, for people. Reasons are words of closed lists; one from a newer version of the
 * service is shown as it is.
 */
export function refusalInWords(
  origin: NamedOrigin,
  { state, reason }: { state: MessageState; reason: string | null },
): string {
  if (state === 'suppressed') return `the address must not be mailed (${reason})`
  if (reason === 'unsubscribed_source') return `the person has unsubscribed from ${refusedSourceInWords(origin)}`
  return SKIPS[reason as keyof typeof SKIPS] ?? reason ?? 'for a reason that was not noted'
}

/** Sources that somebody who is refused by the source of a message has said no to: it, or all of its kind. `name`: of its topic or automation. */
function refusedSourceInWords({ name = null, ...origin }: NamedOrigin): string {
  const source = sendingSourceOf(origin)
  if (source === null || source === 'broadcasts') return source ?? 'it'
  const all = origin.sourceKind === 'broadcast' ? 'broadcasts' : 'automations'
  return `${sourceInWords(source, name)}, or from ${sourceInWords(all)}`
}

const KINDS: Readonly<Record<string, string>> = {
  automations: 'all automated series',
  broadcasts: 'broadcasts',
  everything: 'everything',
}

/** `the topic “News”`: a source that somebody unsubscribes from, for people; one whose name is not known goes by its id. */
export function sourceInWords(source: string, name: string | null = null): string {
  const [kind = '', id] = source.split(':')
  if (id === undefined) return KINDS[kind] ?? kind
  return name === null ? `the ${kind} ${id}` : `the ${kind} “${name}”`
}
