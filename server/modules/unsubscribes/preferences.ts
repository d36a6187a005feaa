import type pg from 'pg'
import { retrying } from '../../platform/db/retry.ts'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { holdForConsentByEmail } from '../consents/hold-for-consent.ts'
import { noteConsentChanges } from '../consents/note-consent-changes.ts'
import { recordConsents } from '../consents/record-consents.ts'
import { type Brand, brandOf } from '../readers/brand.ts'
import { isWanted, type PersonalTopic, subscribeTo, topicSource, topicsOfPerson } from '../topics/topics-of-person.ts'
import type { LinkedMessage } from '../tracking/message-links.ts'
import { contactWithEmail, keepAutomation } from './queries.ts'
import { automationIdOf, topicIdOf } from './source-ids.ts'
import { keptSourcesOf, sourcesOf } from './sources-of.ts'
import { resubscribe, unsubscribe } from './unsubscribe.ts'

export type PreferenceDeps = { sql: pg.Pool }

/** A kind of mail that can be chosen; `name` is that of a topic. Mail that was never asked for, and comes to nobody unasked, is `unasked`. */
export type Choosable = {
  source: string
  wanted: boolean
  unasked?: boolean
  name?: string
  description?: string | null
}

/** The mail that the owner of an address gets from a workspace. */
export type Preferences = {
  brand: Brand
  /** Wants nothing but transactional mail. */
  nothing: boolean
  /** The sources that can be chosen by this link, and which of them are wanted. */
  sources: Choosable[]
}

/** Undefined when the workspace is no more. */
export function readPreferences(deps: PreferenceDeps, link: LinkedMessage): Promise<Preferences | undefined> {
  return inTransaction(deps.sql, link.workspaceId, (tx) => preferencesOf(tx, link))
}

async function preferencesOf(tx: Transaction, link: LinkedMessage): Promise<Preferences | undefined> {
  const { workspaceId, destination } = link
  const [brand, gone, kept, contactId] = await Promise.all([
    brandOf(tx, workspaceId),
    sourcesOf(tx, workspaceId, destination),
    keptSourcesOf(tx, workspaceId, destination),
    contactWithEmail(tx, workspaceId, destination),
  ])
  if (brand === undefined) return undefined
  return {
    brand,
    nothing: gone.has('everything'),
    sources: [
      ...choosable(link, gone, kept),
      ...topicsFor(link, await topicsOfPerson(tx, workspaceId, contactId), gone),
    ],
  }
}

/** Sources that every visitor can choose; one who comes by the mail of an automation can choose that by itself. */
function choosable(
  { sendingSource }: LinkedMessage,
  gone: ReadonlySet<string>,
  kept: ReadonlySet<string>,
): Choosable[] {
  const [broadcasts, automations] = ['broadcasts', 'automations'].map((source) => ({
    source,
    wanted: !gone.has(source),
  }))
  if (automationIdOf(sendingSource) === undefined) return [broadcasts!, automations!]
  const wanted = !gone.has(sendingSource) && (automations!.wanted || kept.has(sendingSource))
  return [broadcasts!, { source: sendingSource, wanted }, automations!]
}

/** Public topics, those that somebody has subscribed to, and the one that led here. */
function topicsFor(
  { sendingSource }: LinkedMessage,
  topics: readonly PersonalTopic[],
  gone: ReadonlySet<string>,
): Choosable[] {
  return topics
    .filter((topic) => topic.visibility === 'public' || topic.isSubscribed || topicSource(topic.id) === sendingSource)
    .map((topic) => {
      const { id, name, description, subscription, isSubscribed } = topic
      const unasked = subscription === 'opt_in' && !isSubscribed
      return { source: topicSource(id), wanted: isWanted(topic, gone), unasked, name, description }
    })
}

/** Unsubscribes by the link of a message, from what the link stops or from everything. Undefined when the workspace is no more. */
export async function unsubscribeByLink(
  deps: PreferenceDeps,
  link: LinkedMessage,
  { sendingSource, ip }: { sendingSource: string; ip: string | null },
): Promise<Preferences | undefined> {
  const { workspaceId, destination, messageId } = link
  return inReadersTransaction(deps, link, async (tx) => {
    await unsubscribe(tx, workspaceId, { destination, sendingSource, messageId, byWhom: 'person', ip })
  })
}

/**
 * Does what a reader says, who will not say it again, and answers the preferences after it: anew where somebody else came between.
 * Undefined, and nothing done, when the workspace is no more.
 */
function inReadersTransaction(
  { sql }: PreferenceDeps,
  link: LinkedMessage,
  act: (tx: Transaction) => Promise<void>,
): Promise<Preferences | undefined> {
  return retrying(() =>
    inTransaction(sql, link.workspaceId, async (tx) => {
      if ((await brandOf(tx, link.workspaceId)) === undefined) return undefined
      await act(tx)
      return preferencesOf(tx, link)
    }),
  )
}

/**
 * Stores the choice that the owner of an address has made by a link that we sent there: of what the link offers exactly `wanted` from now
 * on. Wanting something is consent, and proven as well as by a confirmation. Undefined when the workspace is no more.
 */
export async function choosePreferences(
  deps: PreferenceDeps,
  link: LinkedMessage,
  { wanted, ip }: { wanted: readonly string[]; ip: string | null },
): Promise<Preferences | undefined> {
  const { workspaceId, destination, messageId } = link
  const who = { destination, messageId, byWhom: 'person', ip } as const
  return inReadersTransaction(deps, link, async (tx) => {
    const contactId = await holdForConsentByEmail(tx, workspaceId, destination)
    const offered = (await preferencesOf(tx, link))?.sources ?? []
    const kept = offered.filter(({ source }) => wanted.includes(source)).map(({ source }) => source)
    const except = kept.find((source) => automationIdOf(source) !== undefined)
    // All that is left out, also what another no stood before until now: that one may go with this choice.
    for (const { source: sendingSource, unasked = false } of offered) {
      if (wanted.includes(sendingSource) || unasked) continue
      await unsubscribe(tx, workspaceId, { ...who, sendingSource, ...(sendingSource === 'automations' && { except }) })
    }
    if (kept.length === 0) return
    const back = await resubscribe(tx, workspaceId, { ...who, sources: [...kept, 'everything'] })
    const automationId = automationIdOf(except ?? '')
    if (automationId !== undefined) await keepAutomation(tx, workspaceId, { destination, automationId })
    if (contactId === null) return
    const topicIds = kept.flatMap((source) => topicIdOf(source) ?? [])
    const said = await subscribeTo(tx, workspaceId, { topicIds, contactId, byWhom: 'person' })
    await noteYes(tx, workspaceId, { contactId, messageId, topicIds: said, ip })
    if (back.length > 0 || topicIds.length > 0) await confirmConsent(tx, workspaceId, { contactId, ip })
  })
}

/** Adds to the history of a contact that they want topics which they had not asked for by themselves. */
async function noteYes(
  tx: Transaction,
  workspaceId: string,
  { topicIds, ...who }: { contactId: string; messageId: string; topicIds: readonly string[]; ip: string | null },
): Promise<void> {
  const change = { ...who, change: 'confirmed', byWhom: 'person' } as const
  await noteConsentChanges(
    tx,
    workspaceId,
    topicIds.map((id) => ({ ...change, sendingSource: topicSource(id) })),
  )
}

async function confirmConsent(
  tx: Transaction,
  workspaceId: string,
  { contactId, ip }: { contactId: string; ip: string | null },
): Promise<void> {
  const facts = { confirmedAt: new Date().toISOString(), ...(ip === null ? {} : { confirmIp: ip }) }
  await recordConsents(tx, workspaceId, [{ contactId, provenance: 'double_opt_in', facts }])
}
