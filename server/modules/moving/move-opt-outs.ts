import type pg from 'pg'
import { csvLines } from '../../platform/csv/csv-lines.ts'
import { retrying } from '../../platform/db/retry.ts'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { normaliseEmail } from '../../platform/mail/mail-address.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { holdForConsentByEmails } from '../consents/hold-for-consent.ts'
import { importSuppressions } from '../suppression/import-suppressions.ts'
import { unsubscribe } from '../unsubscribes/unsubscribe.ts'
import type { OptOut } from './moved.ts'

type Told = { added: number; known: number }

/** Addresses a transaction: each emits its event and ends what it had said yes to, in some milliseconds. */
const ADDRESSES_PER_STEP = 100

/** Lists who must not be mailed. One that is listed already stays as listed; one that is no address is passed over. */
export async function moveOptOuts(deps: { sql: pg.Pool }, caller: Caller, optOuts: readonly OptOut[]): Promise<Told> {
  const sound = optOuts.flatMap((one) => {
    const destination = normaliseEmail(one.email)
    return destination === undefined ? [] : [{ ...one, destination }]
  })
  const told = await suppress(
    deps,
    caller,
    sound.filter(({ kind }) => kind !== 'unsubscribed'),
  )
  const leaving = sound.filter(({ kind }) => kind === 'unsubscribed').map(({ destination }) => destination)
  for (let from = 0; from < leaving.length; from += ADDRESSES_PER_STEP) {
    const step = [...new Set(leaving.slice(from, from + ADDRESSES_PER_STEP))]
    const act = (tx: Transaction) => unsubscribeAll(tx, caller, step)
    const added = await retrying(() => inTransaction(deps.sql, caller.workspaceId, act))
    told.added += added
    told.known += step.length - added
  }
  return told
}

async function suppress(deps: { sql: pg.Pool }, caller: Caller, stopped: readonly OptOut[]): Promise<Told> {
  if (stopped.length === 0) return { added: 0, known: 0 }
  const csv = csvLines([
    ['email', 'reason', 'detail'],
    ...stopped.map(({ email, kind, detail }) => [email, kind, detail]),
  ])
  const { added, known } = await importSuppressions(deps, caller, { content: one(Buffer.from(csv)), reason: 'manual' })
  return { added, known }
}

async function* one(buffer: Buffer): AsyncGenerator<Buffer> {
  yield buffer
}

/** Answers how many had not unsubscribed from everything before. */
async function unsubscribeAll(tx: Transaction, caller: Caller, destinations: readonly string[]): Promise<number> {
  const { workspaceId } = caller
  // All of them at once, in the order of others who hold several.
  await holdForConsentByEmails(tx, workspaceId, destinations)
  const { rows } = await tx.query<{ destination: string }>({
    name: 'moving_still_subscribed',
    text: `select given.destination from unnest($2::text[]) with ordinality as given (destination, n)
      where not exists (select from unsubscribes u where u.workspace_id = $1 and u.destination = given.destination
        and u.sending_source = 'everything')
      order by n`,
    values: [workspaceId, destinations],
  })
  const who = { sendingSource: 'everything', byWhom: 'workspace', messageId: null, ip: null } as const
  for (const { destination } of rows) await unsubscribe(tx, workspaceId, { destination, ...who })
  if (rows.length > 0) {
    await recordAudit(tx, caller, {
      action: 'unsubscribe.import',
      target: { type: 'unsubscribe', id: null, name: null },
      diff: { added: { from: null, to: rows.length } },
    })
  }
  return rows.length
}
