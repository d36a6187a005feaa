import type pg from 'pg'
import { SCOPES } from '../../catalogue/scopes.ts'
import type { SecretBox } from '../../platform/crypto/secret-box.ts'
import { textArray } from '../../platform/db/arrays.ts'
import { retrying } from '../../platform/db/retry.ts'
import { inTransaction, queryInScope, type Transaction } from '../../platform/db/transaction.ts'
import { readJournal } from '../../platform/epoch/journal-file.ts'
import type { Caller } from '../auth/caller.ts'
import { holdForConsentByEmails } from '../consents/hold-for-consent.ts'
import type { PersonalDataDeps } from '../personal-data/deps.ts'
import { eraseAgain } from '../personal-data/erase-again.ts'
import { suppressAgain } from '../suppression/suppress-addresses.ts'
import { unsubscribe } from '../unsubscribes/unsubscribe.ts'
import type { JournalEntry } from './journal-entries.ts'

export type ReapplyDeps = PersonalDataDeps & { secrets: SecretBox }

/** Entries that are compared with the database at once, and those that one transaction writes. */
const CHUNK = 5_000
const STEP = 200

type Said<Kind> = Exclude<Extract<JournalEntry, { kind: Kind }>, { gone: true }>
/** How much of the journal the database did not know. */
export type Reapplied = { unsubscribes: number; suppressions: number; erasures: number }

/** The identity that lines of an installation's journal are sealed to. */
export function journalRow(installationId: string): string {
  return `journal/${installationId}`
}

/**
 * Does again all that a restored database does not know any more: erasures, and who wants no mail. Nothing of it that was
 * taken back later, and nothing that is known already, so it may be done any number of times. A wish to be mailed again
 * that was lost is not done again: it has to be said once more.
 */
export async function reapplyJournal(deps: ReapplyDeps, directory: string, installationId: string): Promise<Reapplied> {
  const total: Reapplied = { unsubscribes: 0, suppressions: 0, erasures: 0 }
  const gone = new Set<string>()
  const read = () => entriesOf(deps.secrets, directory, installationId)
  for await (const entry of read()) if ('gone' in entry) gone.add(keyOf(entry))
  let chunk: JournalEntry[] = []
  const apply = async () => {
    for (const [workspaceId, of] of Map.groupBy(chunk, (entry) => entry.workspaceId)) {
      total.erasures += await eraseThem(deps, workspaceId, of)
      total.suppressions += await suppressThem(deps.sql, workspaceId, of)
      total.unsubscribes += await unsubscribeThem(deps.sql, workspaceId, of)
    }
    chunk = []
  }
  for await (const entry of read()) {
    if ('gone' in entry || gone.has(keyOf(entry))) continue
    chunk.push(entry)
    if (chunk.length === CHUNK) await apply()
  }
  await apply()
  return total
}

async function* entriesOf(secrets: SecretBox, directory: string, installationId: string): AsyncGenerator<JournalEntry> {
  const row = journalRow(installationId)
  for await (const { entry } of readJournal(directory)) yield JSON.parse(secrets.open(entry, row)) as JournalEntry
}

function keyOf({ kind, workspaceId, rowId }: JournalEntry): string {
  return `${kind}/${workspaceId}/${rowId}`
}

function saidOf<Kind extends JournalEntry['kind']>(entries: readonly JournalEntry[], kind: Kind): Said<Kind>[] {
  return entries.filter((entry): entry is Said<Kind> => entry.kind === kind)
}

async function eraseThem(deps: ReapplyDeps, workspaceId: string, entries: readonly JournalEntry[]): Promise<number> {
  let erased = 0
  for (const { contactIds, aliasHashes } of saidOf(entries, 'erasure')) {
    if (await eraseAgain(deps, systemIn(workspaceId), { contactIds, aliasHashes })) erased += 1
  }
  return erased
}

async function suppressThem(sql: pg.Pool, workspaceId: string, entries: readonly JournalEntry[]): Promise<number> {
  const rows = saidOf(entries, 'suppression')
  return inTransaction(sql, workspaceId, (tx) => suppressAgain(tx, workspaceId, rows))
}

async function unsubscribeThem(sql: pg.Pool, workspaceId: string, entries: readonly JournalEntry[]): Promise<number> {
  const said = saidOf(entries, 'unsubscribe')
  if (said.length === 0) return 0
  const missing = await queryInScope<{ destination: string; sendingSource: string }>(sql, workspaceId, {
    name: 'unsubscribes_missing',
    text: `select distinct destination, sending_source as "sendingSource"
      from unnest($2::text[], $3::text[]) as said (destination, sending_source)
      where exists (select from workspaces where id = $1)
        and not exists (select from unsubscribes u where u.workspace_id = $1 and u.destination = said.destination
          and u.sending_source = said.sending_source) order by 1, 2`,
    values: [
      workspaceId,
      textArray(said.map((one) => one.destination)),
      textArray(said.map((one) => one.sendingSource)),
    ],
  })
  for (let at = 0; at < missing.length; at += STEP) {
    const step = missing.slice(at, at + STEP)
    const act = async (tx: Transaction) => {
      // All of them at once, in the order of others who hold several.
      await holdForConsentByEmails(
        tx,
        workspaceId,
        step.map(({ destination }) => destination),
      )
      for (const wish of step)
        await unsubscribe(tx, workspaceId, { ...wish, messageId: null, byWhom: 'system', ip: null })
    }
    await retrying(() => inTransaction(sql, workspaceId, act))
  }
  return missing.length
}

function systemIn(workspaceId: string): Caller {
  const actor = { kind: 'system', id: null, name: null } as const
  return { workspaceId, actor, scopes: new Set(SCOPES), requestId: null, ip: null, userAgent: null }
}
