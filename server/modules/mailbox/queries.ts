import type pg from 'pg'
import { byteaArray, int8Array, textArray } from '../../platform/db/arrays.ts'
import { ALL_WORKSPACES, queryInScope, type Transaction } from '../../platform/db/transaction.ts'
import type { CatcherAddress } from './catcher-address.ts'

/** Of a workspace's caught mail the newest stay, up to both limits. */
const MAILS_MAX = 10_000
const BYTES_MAX = 512 * 1024 * 1024

/** A message as the server was given it. */
export type CaughtMail = {
  workspaceId: string
  /** Empty for the null reverse-path. */
  mailFrom: string
  recipients: readonly string[]
  subject: string
  fromText: string
  toText: string
  raw: Buffer
}

/** The hash by which the password of a workspace's mailbox is known; undefined without a mailbox. */
export async function passwordHashOf(sql: pg.Pool, workspaceId: string): Promise<Buffer | undefined> {
  const rows = await queryInScope<{ hash: Buffer }>(sql, workspaceId, {
    name: 'mailbox_password_hash',
    text: 'select password_hash as hash from mailboxes where workspace_id = $1',
    values: [workspaceId],
  })
  return rows[0]?.hash
}

/** Stores mails of any workspaces in one statement. */
export async function insertCaughtMails(sql: pg.Pool, mails: readonly CaughtMail[]): Promise<void> {
  await queryInScope(sql, ALL_WORKSPACES, {
    name: 'insert_caught_mails',
    text: `insert into caught_mails (workspace_id, mail_from, recipients, subject, from_text, to_text, raw, bytes)
      select workspace_id, mail_from, string_to_array(recipients, E'\\n'), subject, from_text, to_text, raw, length(raw)
      from unnest($1::int8[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bytea[])
        with ordinality as m (workspace_id, mail_from, recipients, subject, from_text, to_text, raw, n)
      order by n`,
    values: [
      int8Array(mails.map(({ workspaceId }) => workspaceId)),
      textArray(mails.map(({ mailFrom }) => mailFrom)),
      textArray(mails.map(({ recipients }) => recipients.join('\n'))),
      textArray(mails.map(({ subject }) => subject)),
      textArray(mails.map(({ fromText }) => fromText)),
      textArray(mails.map(({ toText }) => toText)),
      byteaArray(mails.map(({ raw }) => raw)),
    ],
  })
}

/** Deletes what is beyond the limits, oldest first. Reads a narrow row for each mail: 10,000 take some 10 ms. */
export async function deleteOldMails(sql: pg.Pool, workspaceId: string): Promise<void> {
  await queryInScope(sql, workspaceId, {
    name: 'delete_old_caught_mails',
    text: `delete from caught_mails where workspace_id = $1 and id <= (
        select max(id) from (
          select id, row_number() over newest_first as place, sum(bytes) over newest_first as total
          from caught_mails where workspace_id = $1 window newest_first as (order by id desc)
        ) kept where place > $2 or total > $3)`,
    values: [workspaceId, MAILS_MAX, BYTES_MAX],
  })
}

/** Workspaces that are to get a mailbox: those that have none yet, and no integration of their own unless `all` are. */
export async function workspacesWithoutMailbox(sql: pg.Pool, all: boolean): Promise<string[]> {
  const rows = await queryInScope<{ id: string }>(sql, ALL_WORKSPACES, {
    text: `select w.id from workspaces w
      where not exists (select from mailboxes m where m.workspace_id = w.id)
        and ($1 or not exists (select from integrations i where i.workspace_id = w.id))
      order by w.id`,
    values: [all],
  })
  return rows.map(({ id }) => id)
}

type NewMailbox = { workspaceId: string; passwordHash: Buffer; address: CatcherAddress }

/** False when another process was first. */
export async function insertMailbox(tx: Transaction, mailbox: NewMailbox): Promise<boolean> {
  const { workspaceId, passwordHash, address } = mailbox
  const { rowCount } = await tx.query({
    name: 'insert_mailbox',
    text: `insert into mailboxes (workspace_id, password_hash, host, port) values ($1, $2, $3, $4)
      on conflict do nothing`,
    values: [workspaceId, passwordHash, address.host, address.port],
  })
  return rowCount === 1
}

export async function linkMailbox(tx: Transaction, workspaceId: string, integrationId: string): Promise<void> {
  await tx.query({
    name: 'link_mailbox',
    text: 'update mailboxes set integration_id = $2 where workspace_id = $1',
    values: [workspaceId, integrationId],
  })
}

export async function hasDomain(tx: Transaction, workspaceId: string, domain: string): Promise<boolean> {
  const { rowCount } = await tx.query('select from sending_domains where workspace_id = $1 and domain = $2', [
    workspaceId,
    domain,
  ])
  return rowCount === 1
}

export type MovedMailbox = { workspaceId: string; integrationId: string | null; from: CatcherAddress }

/** Notes where the server listens now, and answers which mailboxes had another address. */
export async function moveMailboxes(tx: Transaction, to: CatcherAddress): Promise<MovedMailbox[]> {
  const { rows } = await tx.query<{ workspaceId: string; integrationId: string | null; host: string; port: number }>(
    `update mailboxes m set host = $1, port = $2
      from (select workspace_id, host, port from mailboxes where (host, port) <> ($1, $2) for update) before
      where m.workspace_id = before.workspace_id
      returning m.workspace_id as "workspaceId", m.integration_id as "integrationId", before.host, before.port`,
    [to.host, to.port],
  )
  return rows.map(({ host, port, ...row }) => ({ ...row, from: { host, port } }))
}

/** A mail as the list shows it. */
export type ListedMail = {
  id: string
  receivedAt: string
  readAt: string | null
  subject: string
  fromText: string
  toText: string
  recipients: string[]
  bytes: number
}

const LISTED = `id, received_at as "receivedAt", read_at as "readAt", subject, from_text as "fromText", to_text as "toText", recipients, bytes`

export type MailQuery = { search: string; before: string | undefined; limit: number }

/** Those of workspace $1 that have $2 in what the list shows of them; empty is in all. */
const FOUND = `workspace_id = $1 and ($2 = ''
  or strpos(lower(concat_ws(' ', subject, from_text, to_text, array_to_string(recipients, ' '))), lower($2)) > 0)`

/** Newest first; `before` is the last id of the page before. */
export async function listMails(sql: pg.Pool, workspaceId: string, query: MailQuery): Promise<ListedMail[]> {
  const { search, before, limit } = query
  return queryInScope<ListedMail>(sql, workspaceId, {
    name: 'list_caught_mails',
    text: `select ${LISTED} from caught_mails
      where ${FOUND} and ($3::int8 is null or id < $3) order by id desc limit $4`,
    values: [workspaceId, search, before ?? null, limit],
  })
}

/** How many a search finds, on all of its pages. */
export async function mailsFound(sql: pg.Pool, workspaceId: string, search: string): Promise<number> {
  const rows = await queryInScope<{ found: number }>(sql, workspaceId, {
    name: 'caught_mails_found',
    text: `select count(*)::int as found from caught_mails where ${FOUND}`,
    values: [workspaceId, search],
  })
  return rows[0]!.found
}

export type KeptMail = ListedMail & { mailFrom: string; raw: Buffer }

export async function mailById(tx: Transaction, workspaceId: string, id: string): Promise<KeptMail | undefined> {
  const { rows } = await tx.query<KeptMail>({
    name: 'caught_mail_by_id',
    text: `select ${LISTED}, mail_from as "mailFrom", raw from caught_mails where workspace_id = $1 and id = $2`,
    values: [workspaceId, id],
  })
  return rows[0]
}

export async function mailsTotal(sql: pg.Pool, workspaceId: string): Promise<number> {
  const rows = await queryInScope<{ total: number }>(sql, workspaceId, {
    name: 'caught_mails_total',
    text: `select coalesce(sum(total), 0)::int as total from row_counts
      where workspace_id = $1 and relation = 'caught_mails'`,
    values: [workspaceId],
  })
  return rows[0]?.total ?? 0
}

/** Where the workspace's own programs can hand mail in; undefined without a mailbox. */
export async function mailboxOf(sql: pg.Pool, workspaceId: string): Promise<CatcherAddress | undefined> {
  const rows = await queryInScope<CatcherAddress>(sql, workspaceId, {
    name: 'mailbox_of_workspace',
    text: 'select host, port from mailboxes where workspace_id = $1',
    values: [workspaceId],
  })
  return rows[0]
}
