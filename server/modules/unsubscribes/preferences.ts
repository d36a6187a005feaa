import type pg from 'pg'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { recordConsents } from '../consents/record-consents.ts'
import { type Brand, brandOf } from '../readers/brand.ts'
import type { LinkedMessage } from '../tracking/message-links.ts'
import { contactWithEmail, sourcesOf } from './queries.ts'
import { resubscribe, unsubscribe } from './unsubscribe.ts'

export type PreferenceDeps = { sql: pg.Pool }

/** The mail that the owner of an address gets from a workspace. */
export type Preferences = {
  brand: Brand
  /** Wants nothing but transactional mail. */
  nothing: boolean
  /** The sources that can be chosen by this link, and which of them are wanted. */
  sources: { source: string; wanted: boolean }[]
}

/** Undefined when the workspace is no more. */
export function readPreferences(deps: PreferenceDeps, link: LinkedMessage): Promise<Preferences | undefined> {
  return inTransaction(deps.sql, link.workspaceId, (tx) => preferencesOf(tx, link))
}

async function preferencesOf(tx: Transaction, link: LinkedMessage): Promise<Preferences | undefined> {
  const [brand, gone] = await Promise.all([
    brandOf(tx, link.workspaceId),
    sourcesOf(tx, link.workspaceId, link.destination),
  ])
  if (brand === undefined) return undefined
  return {
    brand,
    nothing: gone.has('everything'),
    sources: choosable(link).map((source) => ({ source, wanted: !gone.has(source) })),
  }
}

/** Sources that a visitor can choose: one who comes by the mail of an automation can also choose that. */
function choosable({ sendingSource }: LinkedMessage): string[] {
  return sendingSource.startsWith('automation:') ? ['broadcasts', sendingSource] : ['broadcasts']
}

/** Unsubscribes by the link of a message, from what the link stops or from everything. Undefined when the workspace is no more. */
export async function unsubscribeByLink(
  deps: PreferenceDeps,
  link: LinkedMessage,
  { sendingSource, ip }: { sendingSource: string; ip: string | null },
): Promise<Preferences | undefined> {
  const { workspaceId, destination, messageId } = link
  return inTransaction(deps.sql, workspaceId, async (tx) => {
    if ((await brandOf(tx, workspaceId)) === undefined) return undefined
    await unsubscribe(tx, workspaceId, { destination, sendingSource, messageId, byWhom: 'person', ip })
    return preferencesOf(tx, link)
  })
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
  return inTransaction(deps.sql, workspaceId, async (tx) => {
    if ((await brandOf(tx, workspaceId)) === undefined) return undefined
    const offered = choosable(link)
    const kept = offered.filter((source) => wanted.includes(source))
    for (const sendingSource of offered.filter((source) => !wanted.includes(source))) {
      await unsubscribe(tx, workspaceId, { ...who, sendingSource })
    }
    if (kept.length > 0) {
      const back = await resubscribe(tx, workspaceId, { ...who, sources: [...kept, 'everything'] })
      if (back.length > 0) await confirmConsent(tx, workspaceId, { destination, ip })
    }
    return preferencesOf(tx, link)
  })
}

async function confirmConsent(
  tx: Transaction,
  workspaceId: string,
  { destination, ip }: { destination: string; ip: string | null },
): Promise<void> {
  const contactId = await contactWithEmail(tx, workspaceId, destination)
  if (contactId === null) return
  const facts = { confirmedAt: new Date().toISOString(), ...(ip === null ? {} : { confirmIp: ip }) }
  await recordConsents(tx, workspaceId, [{ contactId, provenance: 'double_opt_in', facts }])
}
