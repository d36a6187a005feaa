import { int8Array, textArray } from '../../../platform/db/arrays.ts'
import type { Statement } from '../../../platform/db/statement.ts'
import type { Queryable } from '../../../platform/db/transaction.ts'
import { ROLE_PERMISSIONS, ROLES } from '../../auth/roles.ts'
import { isClosedTo } from '../../auth/sessions.ts'
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

/** Everything that goes out by the budget within 24 hours before or after a moment, now where it is null: what is scheduled counts at its time. */
export function spentStatement(
  { workspaceId, tokenId }: TokenKey,
  at: string | null = null,
): Statement<SendPolicy['spent']> {
  return {
    name: 'spent_of_budget',
    text: `select coalesce(sum(recipients_count), 0)::int4 as recipients, count(*)::int4 as sends
      from approvals
      where workspace_id = $1 and by_budget and asked_by ->> 'tokenId' = $2
        and coalesce(scheduled_at, decided_at) > coalesce($3, now()) - interval '24 hours'
        and coalesce(scheduled_at, decided_at) < coalesce($3, now()) + interval '24 hours'`,
    values: [workspaceId, tokenId, at],
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

/** Roles whose agents may send by themselves: those that allow what the act needs, as for a request at that moment. */
const ROLES_THAT_SEND = ROLES.filter((role) =>
  (['mcp:send', 'broadcasts:send'] as const).every((permission) => ROLE_PERMISSIONS[role].has(permission)),
)

/**
 * A row where the budget of a token still covers so many people at once; none where it was taken away, or the token, or where the
 * person who connected the agent that acts under it has left, may not send any more or is kept out.
 */
export function stillCoveredStatement({ workspaceId, tokenId }: TokenKey, recipientsCount: number): Statement<object> {
  return {
    name: 'budget_still_covers',
    text: `select from send_policies p join api_tokens t on t.workspace_id = p.workspace_id and t.id = p.token_id
      where p.workspace_id = $1 and p.token_id = $2 and p.mode = 'budget' and p.recipients_per_send >= $3
        and t.revoked_at is null and (t.expires_at is null or t.expires_at > now())
        and not exists (
          select from agent_grants g
          join workspaces w on w.id = g.workspace_id
          left join memberships m on m.workspace_id = g.workspace_id and m.user_id = g.user_id
            and m.role = any ($4::text[]) and not ${isClosedTo('g.user_id')}
          where g.workspace_id = t.workspace_id and g.token_id = t.id and m.user_id is null)`,
    values: [workspaceId, tokenId, recipientsCount, textArray(ROLES_THAT_SEND)],
  }
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
