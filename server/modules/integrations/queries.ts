import { PROVIDERS_WITH_QUOTA, type Provider } from '../../catalogue/providers.ts'
import type { Statement } from '../../platform/db/statement.ts'
import type { Queryable } from '../../platform/db/transaction.ts'
import { type PageQuery, rowsBefore } from '../../platform/schema/paging.ts'
import { type IntegrationRow, settingsFields } from './integration-of.ts'
import type { IntegrationKey, SealedSecrets } from './integration-secrets.ts'
import type { Settings } from './integration-settings.ts'

/**
 * Mail stays counted until the minute it was sent in is wholly out of the window: up to a minute too long, never too
 * short. At most 1,441 rows an integration are summed: 0.3 ms.
 */
const SENT_LAST_24H = `(select coalesce(sum(c.sent), 0) from send_counters c
    where c.workspace_id = i.workspace_id and c.integration_id = i.id
      and c.minute >= date_trunc('minute', now() - interval '24 hours'))`

/**
 * SQL: whether mail from an address may leave by a server: its domain is one of the workspace's and verified, or the server is
 * the workspace's own mailbox, where nobody looks a key up.
 */
const fromVerified = (at: { workspaceId: string; from: string; host: string; port: string }) =>
  `(exists (select from sending_domains d
      join sending_domain_keys k on k.workspace_id = d.workspace_id and k.domain_id = d.id
      where d.workspace_id = ${at.workspaceId} and d.domain = lower(substring(${at.from} from '[^@]*$'))
        and k.role in ('current', 'retiring') and (k.verified_at is not null
          or exists (select from mailboxes b
            where b.workspace_id = ${at.workspaceId} and b.host = ${at.host} and b.port = ${at.port}))))`

const OF_ROW = { workspaceId: 'i.workspace_id', from: 'i.from_email', host: 'i.host', port: 'i.port' }

const INTEGRATION = `i.id, i.name, i.channel, i.provider, i.enabled, i.is_default as "isDefault",
  i.max_per_second as "maxPerSecond", i.max_per_day as "maxPerDay", i.from_email as "from", i.from_name as "fromName",
  i.host, i.port, i.tls, i.username, i.region, i.endpoint, i.access_key_id_last4 as "accessKeyIdLast4",
  i.password, i.access_key_id as "accessKeyId", i.secret_access_key as "secretAccessKey",
  i.quota_per_second as "quotaPerSecond", i.quota_per_day as "quotaPerDay", i.quota_sent_24h as "quotaSent24h",
  i.quota_failed_at is not null as "quotaFailed", ${fromVerified(OF_ROW)} as "fromVerified", ${SENT_LAST_24H} as "sentLast24h",
  i.created_at as "createdAt", i.updated_at as "updatedAt"`

export function integrationByIdStatement({ workspaceId, id }: IntegrationKey): Statement<IntegrationRow> {
  return {
    name: 'integration_by_id',
    text: `select ${INTEGRATION} from integrations i where i.workspace_id = $1 and i.id = $2`,
    values: [workspaceId, id],
  }
}

/** The same for settings that are not kept. */
export function fromVerifiedStatement(workspaceId: string, settings: Settings): Statement<{ verified: boolean }> {
  const { from, host, port } = settingsFields(settings)
  return {
    name: 'integration_from_verified',
    text: `select ${fromVerified({ workspaceId: '$1::int8', from: '$2::text', host: '$3', port: '$4' })} as verified`,
    values: [workspaceId, from, host, port],
  }
}

/** Integrations for messages when nobody chose: the default first, then enabled ones. Two tell whether it is clear. */
export function integrationsToChooseFromStatement(workspaceId: string): Statement<IntegrationRow> {
  return {
    name: 'integrations_to_choose_from',
    text: `select ${INTEGRATION} from integrations i where i.workspace_id = $1 and i.channel = 'email'
      order by i.is_default desc, i.enabled desc, i.id limit 2`,
    values: [workspaceId],
  }
}

/**
 * The row, locked. Turns hold it as they claim and settle, one behind the other, so that whoever waits for all of them may wait for as long as mail
 * goes out: a change does not, and a deletion closes the gate before (gate.ts).
 */
export async function integrationForChange(tx: Queryable, { workspaceId, id }: IntegrationKey) {
  const { rows } = await tx.query<IntegrationRow>({
    name: 'integration_for_change',
    text: `select ${INTEGRATION} from integrations i where i.workspace_id = $1 and i.id = $2 for no key update`,
    values: [workspaceId, id],
  })
  return rows[0]
}

export type IntegrationFilter = { channel?: 'email'; provider?: Provider; enabled?: boolean }

/** One shape for every filter: a workspace has some integrations, not thousands. */
const FILTERED = `from integrations i where i.workspace_id = $1 and ($2::text is null or i.channel = $2)
  and ($3::text is null or i.provider = $3) and ($4::boolean is null or i.enabled = $4)`

function filterValues(workspaceId: string, { channel, provider, enabled }: IntegrationFilter): unknown[] {
  return [workspaceId, channel ?? null, provider ?? null, enabled ?? null]
}

export function integrationsPageStatement(
  workspaceId: string,
  filter: IntegrationFilter,
  page: PageQuery,
): Statement<IntegrationRow> {
  return {
    name: 'integrations_page',
    text: `select ${INTEGRATION} ${FILTERED} order by i.id limit $5 offset $6`,
    values: [...filterValues(workspaceId, filter), page.pageSize, rowsBefore(page)],
  }
}

export function integrationsTotalStatement(
  workspaceId: string,
  filter: IntegrationFilter,
): Statement<{ total: string }> {
  if (Object.keys(filter).length === 0) {
    return {
      name: 'integrations_total',
      text: `select coalesce(sum(total), 0)::bigint as total from row_counts
        where workspace_id = $1 and relation = 'integrations'`,
      values: [workspaceId],
    }
  }
  return {
    name: 'integrations_filtered_total',
    text: `select count(*) as total ${FILTERED}`,
    values: filterValues(workspaceId, filter),
  }
}

/** Drawn before the row exists, because its secrets are sealed to it. */
export async function newIntegrationId(tx: Queryable): Promise<string> {
  const { rows } = await tx.query<{ id: string }>(`select nextval(pg_get_serial_sequence('integrations', 'id')) as id`)
  return rows[0]!.id
}

/** The values of a row, besides its secrets and its quota. */
export type IntegrationValues = {
  name: string
  enabled: boolean
  isDefault: boolean
  maxPerSecond: number | null
  maxPerDay: number | null
  settings: Settings
}

const VALUE_COLUMNS = `name, enabled, is_default, max_per_second, max_per_day, provider, from_email, from_name, host, port,
  tls, username, region, endpoint`

function valuesOf({ settings, ...values }: IntegrationValues): unknown[] {
  const { name, enabled, isDefault, maxPerSecond, maxPerDay } = values
  const { provider, from, fromName, host, port, tls, username, region, endpoint } = settingsFields(settings)
  const how = [provider, from, fromName, host, port, tls, username, region, endpoint]
  return [name, enabled, isDefault, maxPerSecond, maxPerDay, ...how]
}

/** The secrets as they are to be, and what is shown of the key's id. */
export type IntegrationSecrets = { secrets: SealedSecrets; accessKeyIdLast4: string | null }

export async function insertIntegration(
  tx: Queryable,
  key: IntegrationKey,
  row: IntegrationValues & IntegrationSecrets,
): Promise<IntegrationRow> {
  const { secrets, accessKeyIdLast4, ...values } = row
  const { rows } = await tx.query<IntegrationRow>({
    name: 'insert_integration',
    text: `with i as (
        insert into integrations (workspace_id, id, channel, ${VALUE_COLUMNS},
          password, access_key_id, secret_access_key, access_key_id_last4)
        overriding system value
        values ($1, $2, 'email', $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)
        returning *
      )
      select ${INTEGRATION} from i`,
    values: [
      ...[key.workspaceId, key.id, ...valuesOf(values)],
      ...[secrets.password, secrets.accessKeyId, secrets.secretAccessKey, accessKeyIdLast4],
    ],
  })
  return rows[0]!
}

/** `forgetQuota`: what was read of it is another account's. */
export async function updateIntegrationRow(
  tx: Queryable,
  key: IntegrationKey,
  row: IntegrationValues & IntegrationSecrets & { forgetQuota: boolean },
): Promise<IntegrationRow> {
  const { secrets, accessKeyIdLast4, forgetQuota, ...values } = row
  const { rows } = await tx.query<IntegrationRow>({
    name: 'update_integration',
    text: `with i as (
        update integrations set (${VALUE_COLUMNS}) =
            ($3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16),
          password = $17, access_key_id = $18, secret_access_key = $19, access_key_id_last4 = $20,
          quota_per_second = case when $21 then null else quota_per_second end,
          quota_per_day = case when $21 then null else quota_per_day end,
          quota_sent_24h = case when $21 then null else quota_sent_24h end,
          quota_read_at = case when $21 then null else quota_read_at end,
          quota_failed_at = case when $21 then null else quota_failed_at end,
          updated_at = now()
        where workspace_id = $1 and id = $2 returning *
      )
      select ${INTEGRATION} from i`,
    values: [
      ...[key.workspaceId, key.id, ...valuesOf(values)],
      ...[secrets.password, secrets.accessKeyId, secrets.secretAccessKey, accessKeyIdLast4, forgetQuota],
    ],
  })
  return rows[0]!
}

export async function deleteIntegrationRow(tx: Queryable, { workspaceId, id }: IntegrationKey): Promise<void> {
  await tx.query({
    name: 'delete_integration',
    text: 'delete from integrations where workspace_id = $1 and id = $2',
    values: [workspaceId, id],
  })
}

/** One who makes a default waits here for one who makes another of the workspace, before locking any row. */
export async function lockDefault(tx: Queryable, workspaceId: string): Promise<void> {
  await tx.query({
    name: 'lock_default_integration',
    text: `select pg_advisory_xact_lock(hashtextextended('integrations/' || $1, 0))`,
    values: [workspaceId],
  })
}

/** Takes the mark from the channel's default, and answers which integration had it. */
export async function unmarkDefault(tx: Queryable, workspaceId: string) {
  const { rows } = await tx.query<{ id: string; name: string }>({
    name: 'unmark_default_integration',
    text: `update integrations set is_default = false, updated_at = now()
      where workspace_id = $1 and channel = 'email' and is_default returning id, name`,
    values: [workspaceId],
  })
  return rows[0]
}

/** Which reading of a quota a result belongs to: that with this sealed key. */
type ReadWith = IntegrationKey & { sealed: string }

export function recordQuotaStatement(
  { workspaceId, id, sealed }: ReadWith,
  quota: { perSecond: number | null; perDay: number | null; sentLast24h: number },
): Statement<object> {
  return {
    name: 'record_provider_quota',
    text: `update integrations set quota_per_second = $4, quota_per_day = $5, quota_sent_24h = $6, quota_read_at = now(),
        quota_failed_at = null
      where workspace_id = $1 and id = $2 and secret_access_key = $3`,
    values: [workspaceId, id, sealed, quota.perSecond, quota.perDay, quota.sentLast24h],
  }
}

export function recordQuotaFailureStatement({ workspaceId, id, sealed }: ReadWith): Statement<object> {
  return {
    name: 'record_provider_quota_failure',
    text: `update integrations set quota_failed_at = now()
      where workspace_id = $1 and id = $2 and secret_access_key = $3`,
    values: [workspaceId, id, sealed],
  }
}

/** A condition each by a literal: the planner knows the index of one by it. */
const HAS_QUOTA = `(${PROVIDERS_WITH_QUOTA.map((provider) => `provider = '${provider}'`).join(' or ')})`

/** Enabled integrations whose provider has a quota, of every workspace, in the order of their keys. */
export function integrationsWithQuotaStatement(after: IntegrationKey, rowsMax: number): Statement<IntegrationKey> {
  return {
    text: `select workspace_id as "workspaceId", id from integrations
      where ${HAS_QUOTA} and enabled and (workspace_id, id) > ($1, $2) order by workspace_id, id limit $3`,
    values: [after.workspaceId, after.id, rowsMax],
  }
}
