import type { Provider } from '../../catalogue/providers.ts'
import { int8Array, textArray } from '../../platform/db/arrays.ts'
import type { Statement } from '../../platform/db/statement.ts'
import type { Queryable } from '../../platform/db/transaction.ts'
import { type PageQuery, rowsBefore } from '../../platform/schema/paging.ts'
import type { KeyRole } from './settle-keys.ts'

/** A domain with its current key. */
export type DomainRow = {
  id: string
  domain: string
  dkimSelector: string
  publicKey: string
  lastCheckedAt: string | null
  verifiedAt: string | null
  createdAt: string
  updatedAt: string
  /** Of the workspace's default integration; null without one. */
  provider: Provider | null
  providerHost: string | null
  providerEndpoint: string | null
}

export type DomainKey = { workspaceId: string; id: string }

const DOMAIN = `d.id, d.domain, k.selector as "dkimSelector", k.public_key as "publicKey",
  k.checked_at as "lastCheckedAt", k.verified_at as "verifiedAt", d.created_at as "createdAt", d.updated_at as "updatedAt",
  i.provider, i.host as "providerHost", i.endpoint as "providerEndpoint"`
const DEFAULT_INTEGRATION = `integrations i
  on i.workspace_id = d.workspace_id and i.channel = 'email' and i.is_default and i.enabled`
const WITH_CURRENT_KEY = `sending_domains d
  join sending_domain_keys k on k.workspace_id = d.workspace_id and k.domain_id = d.id and k.role = 'current'
  left join ${DEFAULT_INTEGRATION}`

export function domainByIdStatement({ workspaceId, id }: DomainKey): Statement<DomainRow> {
  return {
    name: 'sending_domain_by_id',
    text: `select ${DOMAIN} from ${WITH_CURRENT_KEY} where d.workspace_id = $1 and d.id = $2`,
    values: [workspaceId, id],
  }
}

/** The domain, locked until the transaction ends: its keys change only under this lock. */
export async function domainForChange(tx: Queryable, { workspaceId, id }: DomainKey): Promise<DomainRow | undefined> {
  await tx.query({
    name: 'lock_sending_domain',
    text: 'select from sending_domains where workspace_id = $1 and id = $2 for no key update',
    values: [workspaceId, id],
  })
  const { rows } = await tx.query(domainByIdStatement({ workspaceId, id }))
  return rows[0]
}

export type DomainFilter = { search?: string | undefined; verified?: boolean | undefined }

/** Only filters in use stand in the statement. */
function filtered(workspaceId: string, filter: DomainFilter) {
  const values: unknown[] = [workspaceId]
  const conditions = ['d.workspace_id = $1']
  if (filter.search !== undefined) conditions.push(`strpos(d.domain, $${values.push(filter.search)}) > 0`)
  if (filter.verified !== undefined) conditions.push(`k.verified_at is ${filter.verified ? 'not null' : 'null'}`)
  return { where: conditions.join(' and '), values }
}

export function domainsPageStatement(workspaceId: string, filter: DomainFilter, page: PageQuery): Statement<DomainRow> {
  const { where, values } = filtered(workspaceId, filter)
  const text = `select ${DOMAIN} from ${WITH_CURRENT_KEY} where ${where}
    order by d.id limit $${values.push(page.pageSize)} offset $${values.push(rowsBefore(page))}`
  return { text, values }
}

/** The exact total: kept by the counters for the whole list, counted for a filtered one. */
export function domainsTotalStatement(workspaceId: string, filter: DomainFilter): Statement<{ total: string }> {
  if (filter.search === undefined && filter.verified === undefined) {
    return {
      name: 'sending_domains_total',
      text: `select coalesce(sum(total), 0)::bigint as total from row_counts
        where workspace_id = $1 and relation = 'sending_domains'`,
      values: [workspaceId],
    }
  }
  const { where, values } = filtered(workspaceId, filter)
  return { text: `select count(*) as total from ${WITH_CURRENT_KEY} where ${where}`, values }
}

export async function newKeyId(tx: Queryable): Promise<string> {
  const { rows } = await tx.query<{ id: string }>(
    `select nextval(pg_get_serial_sequence('sending_domain_keys', 'id')) as id`,
  )
  return rows[0]!.id
}

export type NewKey = { id: string; selector: string; publicKey: string; privateKey: string }

/** The domain with its first key. `privateKey` is sealed. */
export async function insertDomain(
  tx: Queryable,
  row: { workspaceId: string; domain: string; key: NewKey; checkAfterSeconds: number },
): Promise<DomainRow> {
  const { key } = row
  const { rows } = await tx.query<DomainRow>({
    name: 'insert_sending_domain',
    text: `with d as (
        insert into sending_domains (workspace_id, domain, next_check_at)
        values ($1, $2, now() + make_interval(secs => $3)) returning *
      ), k as (
        insert into sending_domain_keys (workspace_id, id, domain_id, role, selector, public_key, private_key)
        overriding system value select $1, $4, d.id, 'current', $5, $6, $7 from d returning *
      )
      select ${DOMAIN} from d cross join k left join ${DEFAULT_INTEGRATION}`,
    values: [row.workspaceId, row.domain, row.checkAfterSeconds, key.id, key.selector, key.publicKey, key.privateKey],
  })
  return rows[0]!
}

export async function insertKey(
  tx: Queryable,
  { workspaceId, id: domainId }: DomainKey,
  key: NewKey & { role: KeyRole },
): Promise<void> {
  await tx.query({
    name: 'insert_sending_domain_key',
    text: `insert into sending_domain_keys (workspace_id, id, domain_id, role, selector, public_key, private_key)
      overriding system value values ($1, $2, $3, $4, $5, $6, $7)`,
    values: [workspaceId, key.id, domainId, key.role, key.selector, key.publicKey, key.privateKey],
  })
}

/** The resource is another one from now on. */
export async function touchDomain(tx: Queryable, { workspaceId, id }: DomainKey): Promise<void> {
  await tx.query({
    name: 'touch_sending_domain',
    text: 'update sending_domains set updated_at = now() where workspace_id = $1 and id = $2',
    values: [workspaceId, id],
  })
}

export async function deleteDomainRow(tx: Queryable, { workspaceId, id }: DomainKey): Promise<void> {
  await tx.query({
    name: 'delete_sending_domain',
    text: 'delete from sending_domains where workspace_id = $1 and id = $2',
    values: [workspaceId, id],
  })
}

export type KeyRow = {
  id: string
  role: KeyRole
  selector: string
  publicKey: string
  privateKey: string
  verifiedAt: string | null
  retiresAt: string | null
  /** A `CheckResult` as JSON text. */
  check: string | null
}

export type ChecksRow = { spf: string | null; dmarc: string | null; relay: string | null; returnPath: string | null }

/** Last findings of a domain's other records, as JSON text. */
export function domainChecksStatement({ workspaceId, id }: DomainKey): Statement<ChecksRow> {
  return {
    name: 'sending_domain_checks',
    text: `select spf_check as spf, dmarc_check as dmarc, relay_check as relay, return_path_check as "returnPath"
      from sending_domains where workspace_id = $1 and id = $2`,
    values: [workspaceId, id],
  }
}

const KEY = `k.id, k.role, k.selector, k.public_key as "publicKey", k.private_key as "privateKey",
  k.verified_at as "verifiedAt", k.retires_at as "retiresAt", k.check_result as "check"`
const KEYS_IN_ORDER = `order by array_position(array['current', 'next', 'retiring'], k.role), k.id`

/** A domain's keys: the current one, the next one, then those that retire, oldest first. */
export function keysOfStatement({ workspaceId, id }: DomainKey): Statement<KeyRow> {
  return {
    name: 'sending_domain_keys_of',
    text: `select ${KEY} from sending_domain_keys k where k.workspace_id = $1 and k.domain_id = $2 ${KEYS_IN_ORDER}`,
    values: [workspaceId, id],
  }
}

export function keysOfDomainNamedStatement(workspaceId: string, domain: string): Statement<KeyRow> {
  return {
    name: 'sending_domain_keys_of_name',
    text: `select ${KEY} from sending_domains d
      join sending_domain_keys k on k.workspace_id = d.workspace_id and k.domain_id = d.id
      where d.workspace_id = $1 and d.domain = $2 ${KEYS_IN_ORDER}`,
    values: [workspaceId, domain],
  }
}

export async function keysForChange(tx: Queryable, key: DomainKey): Promise<KeyRow[]> {
  return (await tx.query(keysOfStatement(key))).rows
}

export type KeyChange = { id: string; role: KeyRole | 'gone'; verified: boolean; retires: boolean }

/**
 * Gives keys their new roles in one statement; those `gone` are deleted. The unique indexes of roles are held row by
 * row, so whoever leaves a role comes first, in a statement of its own.
 */
export async function changeKeys(
  tx: Queryable,
  workspaceId: string,
  { keys, overlapDays }: { keys: readonly KeyChange[]; overlapDays: number },
): Promise<void> {
  const leaving = keys.filter(({ role }) => role === 'gone').map(({ id }) => id)
  const staying = keys
    .filter(({ role }) => role !== 'gone')
    .sort((one, other) => Number(one.role === 'current') - Number(other.role === 'current'))
  await tx.query({
    name: 'delete_sending_domain_keys',
    text: 'delete from sending_domain_keys where workspace_id = $1 and id = any($2::bigint[])',
    values: [workspaceId, int8Array(leaving)],
  })
  for (const current of [false, true]) {
    const group = staying.filter(({ role }) => (role === 'current') === current)
    await tx.query({
      name: 'change_sending_domain_keys',
      text: `update sending_domain_keys k set role = given.role,
          verified_at = case when given.verified::boolean then coalesce(k.verified_at, now()) end,
          retires_at = case when given.role <> 'retiring' then null
            when given.retires::boolean then now() + make_interval(days => $6) else k.retires_at end
        from unnest($2::bigint[], $3::text[], $4::text[], $5::text[]) as given (id, role, verified, retires)
        where k.workspace_id = $1 and k.id = given.id`,
      values: [
        workspaceId,
        int8Array(group.map(({ id }) => id)),
        textArray(group.map(({ role }) => role)),
        textArray(group.map(({ verified }) => String(verified))),
        textArray(group.map(({ retires }) => String(retires))),
        overlapDays,
      ],
    })
  }
}
