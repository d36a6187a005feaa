import { createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto'
import type pg from 'pg'
import { renewSecret, type SecretKeys, secretBox } from '../../platform/crypto/secret-box.ts'
import { ALL_WORKSPACES, inTransaction, type Transaction } from '../../platform/db/transaction.ts'

/** After this the links of new mail are signed with a new key. */
export const KEY_AGE_MAX_DAYS = 90
const KEY_BYTES = 32
const DERIVED_BYTES = 32
/** A process learns of another's new key at the latest after this. */
const FRESH_MS = 60_000
/** Keys that do not exist are looked for no more often than this. */
const LOOK_AGAIN_MS = 1_000

/** The purpose that links of one kind serve. Keys of different purposes have nothing in common. */
export type LinkPurpose = 'open' | 'click' | 'unsubscribe' | 'confirm' | 'sign-up' | 'landing'

export type LinkKey = { id: number; keyFor(purpose: LinkPurpose, use: KeyUse): KeyObject }
/** A code shows that a text is ours, encryption hides it: each with a key of its own. */
export type KeyUse = 'code' | 'encryption'

/** The keys that links in mails are signed with. */
export type LinkKeys = {
  /** Reads the keys, and makes the first. Before `current`, and again now and then: it costs nothing while they are fresh. */
  ready(): Promise<void>
  /** The key that new links are signed with. Throws before `ready`. */
  current(): LinkKey
  /** A key by its id, whether or not another process made it just now; undefined for one that we never had. */
  find(id: number): Promise<LinkKey | undefined>
}

export type LinkKeyDeps = { sql: pg.Pool; keys: SecretKeys }

export function createLinkKeys(deps: LinkKeyDeps): LinkKeys {
  const known = new Map<number, LinkKey>()
  let readMs = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | undefined

  async function read(): Promise<void> {
    const rows = await inTransaction(deps.sql, ALL_WORKSPACES, async (tx) => {
      const stored = await linkKeys(tx)
      return stored.length > 0 ? stored : [await makeFirstKey(tx, deps.keys)]
    })
    const box = secretBox(deps.keys)
    // Anew, so that the newest comes last.
    known.clear()
    for (const { id, secret } of rows) known.set(id, linkKey(id, box.open(secret, secretRow(id))))
    readMs = performance.now()
  }

  async function readOnce(): Promise<void> {
    reading ??= read().finally(() => {
      reading = undefined
    })
    return reading
  }

  return {
    async ready() {
      if (performance.now() - readMs > FRESH_MS) await readOnce()
    },
    current() {
      const key = [...known.values()].at(-1)
      if (key === undefined) throw new Error('link keys are used before they were read')
      return key
    },
    async find(id) {
      if (!known.has(id) && performance.now() - readMs > LOOK_AGAIN_MS) await readOnce()
      return known.get(id)
    },
  }
}

/** A key that nobody keeps: its links are as long as others, and lead nowhere. */
export function passingKey(): LinkKey {
  return linkKey(1, randomBytes(KEY_BYTES).toString('base64'))
}

/** Makes a new key when the newest has been in use for `KEY_AGE_MAX_DAYS`, and seals all anew after ENCRYPTION_KEY was rotated. */
export async function rotateLinkKeys({ sql, keys }: LinkKeyDeps): Promise<void> {
  await inTransaction(sql, ALL_WORKSPACES, async (tx) => {
    await tx.query('lock table link_keys in share row exclusive mode')
    const rows = await linkKeys(tx)
    if (rows.at(-1)?.isOld ?? true) await insertKey(tx, keys)
    for (const { id, secret } of rows) {
      const renewed = renewSecret(secret, keys, secretRow(id))
      if (renewed !== undefined) await tx.query('update link_keys set secret = $2 where id = $1', [id, renewed])
    }
  })
}

type KeyRow = { id: number; secret: string; isOld: boolean }

/** All keys, oldest first: four a year. */
async function linkKeys(tx: Transaction): Promise<KeyRow[]> {
  const { rows } = await tx.query<KeyRow>({
    name: 'link_keys',
    text: `select id, secret, created_at < now() - make_interval(days => $1) as "isOld" from link_keys order by id`,
    values: [KEY_AGE_MAX_DAYS],
  })
  return rows
}

/** Processes that start together on a new database make one key between them. */
async function makeFirstKey(tx: Transaction, keys: SecretKeys): Promise<KeyRow> {
  await tx.query('lock table link_keys in share row exclusive mode')
  const [made] = await linkKeys(tx)
  return made ?? insertKey(tx, keys)
}

async function insertKey(tx: Transaction, keys: SecretKeys): Promise<KeyRow> {
  const { rows } = await tx.query<{ id: number }>(
    `select nextval(pg_get_serial_sequence('link_keys', 'id'))::int as id`,
  )
  const { id } = rows[0]!
  const secret = secretBox(keys).seal(randomBytes(KEY_BYTES).toString('base64'), secretRow(id))
  await tx.query('insert into link_keys (id, secret) overriding system value values ($1, $2)', [id, secret])
  return { id, secret, isOld: false }
}

function secretRow(id: number): string {
  return `link_keys/${id}/secret`
}

function linkKey(id: number, secret: string): LinkKey {
  const derived = new Map<string, KeyObject>()
  return {
    id,
    keyFor(purpose, use) {
      const info = `postroom link ${purpose} ${use}`
      const known = derived.get(info)
      if (known !== undefined) return known
      const bytes = hkdfSync('sha256', Buffer.from(secret, 'base64'), '', info, DERIVED_BYTES)
      const made = createSecretKey(Buffer.from(bytes))
      derived.set(info, made)
      return made
    },
  }
}
