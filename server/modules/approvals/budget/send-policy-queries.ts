import { int8Array } from '../../../platform/db/arrays.ts'
import type { Statement } from '../../../platform/db/statement.ts'
import type { Queryable } from '../../../platform/db/transaction.ts'
import type { Budget, SendPolicy } from './schemas.ts'

export type TokenKey = { workspaceId: string; tokenId: string }

type StoredPolicy = {
  mode: SendPolicy['mode']
  recipientsPerSend: number | null
  recipientsPerDay: number | null
  sendsPerDay: number | null
  segmentIds: string[] | null
  from: string | null
  until: string | null
  zone: string | null
}

const POLICY = `select mode, recipients_per_send as "recipientsPerSend", recipients_per_day as "recipientsPerDay",
    sends_per_day as "sendsPerDay", segment_ids::text[] as "segmentIds", from_time as "from", until_time as until,
    time_zone as zone
  from send_policies where workspace_id = $1 and token_id = $2`

export type Policy = Pick<SendPolicy, 'mode' | 'budget'>

/** A token that nobody has set a policy for asks for each act. */
export function policyOf(stored: StoredPolicy | undefined): Policy {
  if (!stored) return { mode: 'approve', budget: null }
  const { mode, recipientsPerSend, recipientsPerDay, sendsPerDay, segmentIds, from, until, zone } = stored
  if (mode !== 'budget') return { mode, budget: null }
  const hours = from === null ? null : { from, until: until!, zone: zone! }
  const limits = {
    recipientsPerSend: recipientsPerSend!,
    recipientsPerDay: recipientsPerDay!,
    sendsPerDay: sendsPerDay!,
  }
  return { mode, budget: { ...limits, segmentIds, hours } }
}

export function policyStatement({ workspaceId, tokenId }: TokenKey): Statement<StoredPolicy> {
  return { name: 'send_policy', text: POLICY, values: [workspaceId, tokenId] }
}

/** Holds the policy until the transaction ends: of two acts that come together the second sees the first as spent. */
export async function lockPolicy(tx: Queryable, { workspaceId, tokenId }: TokenKey): Promise<Policy> {
  const { rows } = await tx.query<StoredPolicy>({
    name: 'lock_send_policy',
    text: `${POLICY} for update`,
    values: [workspaceId, tokenId],
  })
  return policyOf(rows[0])
}

export function spentStatement({ workspaceId, tokenId }: TokenKey): Statement<SendPolicy['spent']> {
  return {
    name: 'spent_of_budget',
    text: `select coalesce(sum(recipients_count), 0)::int4 as recipients, count(*)::int4 as sends
      from approvals
      where workspace_id = $1 and by_budget and decided_at > now() - interval '24 hours' and asked_by ->> 'tokenId' = $2`,
    values: [workspaceId, tokenId],
  }
}

export async function writePolicy(tx: Queryable, { workspaceId, tokenId }: TokenKey, { mode, budget }: Policy) {
  const {
    recipientsPerSend = null,
    recipientsPerDay = null,
    sendsPerDay = null,
    segmentIds = null,
    hours = null,
  } = budget ?? ({} as Partial<Budget>)
  await tx.query({
    name: 'write_send_policy',
    text: `insert into send_policies (workspace_id, token_id, mode, recipients_per_send, recipients_per_day, sends_per_day,
        segment_ids, from_time, until_time, time_zone)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
      on conflict (workspace_id, token_id) do update set (mode, recipients_per_send, recipients_per_day, sends_per_day,
        segment_ids, from_time, until_time, time_zone) = (excluded.mode, excluded.recipients_per_send,
        excluded.recipients_per_day, excluded.sends_per_day, excluded.segment_ids, excluded.from_time, excluded.until_time,
        excluded.time_zone)`,
    values: [
      ...[workspaceId, tokenId, mode, recipientsPerSend, recipientsPerDay, sendsPerDay],
      ...[segmentIds && int8Array(segmentIds), hours?.from ?? null, hours?.until ?? null, hours?.zone ?? null],
    ],
  })
}

/** Ids of those of the segments that the workspace has. */
export async function segmentsThere(tx: Queryable, workspaceId: string, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await tx.query<{ id: string }>({
    name: 'segments_of_budget',
    text: 'select id from segments where workspace_id = $1 and id = any($2::int8[])',
    values: [workspaceId, int8Array(ids)],
  })
  return new Set(rows.map(({ id }) => id))
}
