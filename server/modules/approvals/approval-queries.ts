import type { Statement } from '../../platform/db/statement.ts'
import type { Queryable } from '../../platform/db/transaction.ts'
import { type PageQuery, rowsBefore } from '../../platform/schema/paging.ts'
import type { Target } from './acts/act.ts'
import type { Approval } from './schemas.ts'

/** Above so many people whoever approves is asked for their password. */
export const PASSWORD_FROM = 1_000
const KEPT_HOURS = 72
/** So long the same mail to the same contact is a repeated request; tools have no other sign of one. */
const REPEATED_MINUTES = 10

export type ApprovalRow = Approval & { contentHash: Buffer }
/** As the database gives it: with documents as text. */
type StoredApproval = Omit<ApprovalRow, 'plan' | 'askedBy' | 'decidedBy'> & {
  plan: string
  askedBy: string
  decidedBy: string | null
}
type StoredSummary = Omit<StoredApproval, 'contentHash'>
export type NewApproval = Pick<
  ApprovalRow,
  'scheduledAt' | 'contentHash' | 'recipientsCount' | 'plan' | 'note' | 'askedBy'
> & { target: Target }

const SUMMARY = `a.id, a.act, a.broadcast_id as "broadcastId", a.automation_id as "automationId",
  a.template_id as "templateId", a.contact_id as "contactId", a.scheduled_at as "scheduledAt",
  case when a.status = 'waiting' and a.expires_at <= now() then 'expired' else a.status end as status,
  a.recipients_count as "recipientsCount", a.note, a.asked_by as "askedBy", a.decided_by as "decidedBy", a.by_budget as "byBudget",
  a.budget_reason as "budgetReason",
  a.decided_at as "decidedAt", a.created_at as "createdAt", a.expires_at as "expiresAt",
  a.recipients_count > ${PASSWORD_FROM} or a.act = 'automation' as "needsPassword"`
const COLUMNS = `${SUMMARY}, a.plan, a.content_hash as "contentHash"`

export function approvalOf({ plan, ...stored }: StoredApproval): ApprovalRow {
  // A plan of a version that had broadcasts alone has no mails of an automation.
  return { ...partiesOf(stored), plan: { mails: [], definition: null, ...JSON.parse(plan) } }
}

/** The thing that a request is about, by itself. */
export function targetOf({ act, broadcastId, automationId, templateId, contactId }: Target): Target {
  return { act, broadcastId, automationId, templateId, contactId }
}

export function summaryOf({ plan, ...stored }: StoredSummary) {
  const { name, subject } = JSON.parse(plan) as Record<'name' | 'subject', string>
  return { ...partiesOf(stored), plan: { name, subject } }
}

function partiesOf<S extends Pick<StoredApproval, 'askedBy' | 'decidedBy'>>({ askedBy, decidedBy, ...rest }: S) {
  return {
    ...rest,
    askedBy: JSON.parse(askedBy) as Approval['askedBy'],
    decidedBy: decidedBy === null ? null : (JSON.parse(decidedBy) as NonNullable<Approval['decidedBy']>),
  }
}

export function approvalByIdStatement(workspaceId: string, id: string): Statement<StoredApproval> {
  return {
    name: 'approval_by_id',
    text: `select ${COLUMNS} from approvals a where a.workspace_id = $1 and a.id = $2`,
    values: [workspaceId, id],
  }
}

/** The approval by which a broadcast is scheduled; none when somebody else scheduled it. */
export function approvalOfScheduledStatement(key: { workspaceId: string; id: string }): Statement<StoredApproval> {
  return {
    name: 'approval_of_scheduled_broadcast',
    text: `select ${COLUMNS} from broadcasts b join approvals a on a.workspace_id = b.workspace_id and a.id = b.approval_id
      where b.workspace_id = $1 and b.id = $2 and b.status = 'scheduled'`,
    values: [key.workspaceId, key.id],
  }
}

/** The approval by which a broadcast went out, or was scheduled to; none when somebody else started it. */
export function approvalOfStartedStatement(key: { workspaceId: string; id: string }): Statement<StoredApproval> {
  return {
    name: 'approval_of_started_broadcast',
    text: `select ${COLUMNS} from broadcasts b join approvals a on a.workspace_id = b.workspace_id and a.id = b.approval_id
      where b.workspace_id = $1 and b.id = $2 and b.status in ('sending', 'paused')`,
    values: [key.workspaceId, key.id],
  }
}

/**
 * Holds requests of a token apart until the transaction ends. By the token itself, which is there whatever it may send: a lock of its
 * policy would hold nobody while there is none.
 */
export async function holdRequests(tx: Queryable, workspaceId: string, tokenId: string): Promise<void> {
  await tx.query({
    name: 'hold_requests_of_token',
    text: 'select from api_tokens where workspace_id = $1 and id = $2 for no key update',
    values: [workspaceId, tokenId],
  })
}

/** How many wait in the workspace, and how many of those a token has asked for. */
export async function waitingCounts(
  tx: Queryable,
  workspaceId: string,
  tokenId: string | null,
): Promise<{ all: number; ofToken: number }> {
  const { rows } = await tx.query<{ all: number; ofToken: number }>({
    name: 'waiting_approvals',
    text: `select count(*)::int4 as all, count(*) filter (where asked_by ->> 'tokenId' = $2)::int4 as "ofToken"
      from approvals where workspace_id = $1 and status = 'waiting' and expires_at > now()`,
    values: [workspaceId, tokenId],
  })
  return rows[0]!
}

export function approvalsPageStatement(workspaceId: string, page: PageQuery): Statement<StoredSummary> {
  return {
    name: 'approvals_page',
    text: `select ${SUMMARY}, json_build_object('name', a.plan->'name', 'subject', a.plan->'subject') as plan
      from approvals a where a.workspace_id = $1 order by a.id desc limit $2 offset $3`,
    values: [workspaceId, page.pageSize, rowsBefore(page)],
  }
}

export function approvalsTotalStatement(workspaceId: string): Statement<{ total: string }> {
  return {
    name: 'approvals_total',
    text: `select coalesce(sum(total), 0)::bigint as total from row_counts where workspace_id = $1 and relation = 'approvals'`,
    values: [workspaceId],
  }
}

export async function insertApproval(tx: Queryable, workspaceId: string, asked: NewApproval): Promise<ApprovalRow> {
  const { rows } = await tx.query<StoredApproval>({
    name: 'insert_approval',
    text: `insert into approvals as a (workspace_id, scheduled_at, content_hash, recipients_count, plan, note, asked_by,
        act, broadcast_id, automation_id, template_id, contact_id, expires_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, now() + interval '${KEPT_HOURS} hours') returning ${COLUMNS}`,
    values: [
      ...[workspaceId, asked.scheduledAt, asked.contentHash, asked.recipientsCount],
      ...[JSON.stringify(asked.plan), asked.note, JSON.stringify(asked.askedBy)],
      ...targetValues(asked.target),
    ],
  })
  return approvalOf(rows[0]!)
}

/**
 * The newest request of the same token that waits for this already, for whatever number of people; or by which its budget has mailed
 * the same to the same contact a moment ago: an agent whose answer was lost asks again.
 */
export async function sameWaiting(
  tx: Queryable,
  workspaceId: string,
  {
    target,
    contentHash,
    scheduledAt,
    askedBy,
  }: Pick<NewApproval, 'target' | 'contentHash' | 'scheduledAt' | 'askedBy'>,
): Promise<ApprovalRow | undefined> {
  const { rows } = await tx.query<StoredApproval>({
    name: 'same_waiting_approval',
    text: `select ${COLUMNS} from approvals a
      where a.workspace_id = $1 and a.content_hash = $2 and a.scheduled_at is not distinct from $3::timestamptz
        and a.act = $4 and a.broadcast_id is not distinct from $5 and a.automation_id is not distinct from $6
        and a.template_id is not distinct from $7 and a.contact_id is not distinct from $8
        and a.asked_by ->> 'tokenId' is not distinct from $9
        and (a.status = 'waiting' and a.expires_at > now()
          or a.by_budget and a.act = 'email' and a.decided_at > now() - interval '${REPEATED_MINUTES} minutes')
      order by a.id desc limit 1`,
    values: [workspaceId, contentHash, scheduledAt, ...targetValues(target), askedBy.tokenId],
  })
  return rows[0] && approvalOf(rows[0])
}

const targetValues = ({ act, broadcastId, automationId, templateId, contactId }: Target) => [
  ...[act, broadcastId, automationId, templateId, contactId],
]

/** Notes why the budget of the token did not cover what waits now for a person; undefined when it waits no more. */
export async function noteOfBudget(
  tx: Queryable,
  workspaceId: string,
  { id, reason }: { id: string; reason: string },
): Promise<ApprovalRow | undefined> {
  const { rows } = await tx.query<StoredApproval>({
    name: 'note_of_budget',
    text: `update approvals a set budget_reason = $3 where workspace_id = $1 and id = $2 and status = 'waiting' returning ${COLUMNS}`,
    values: [workspaceId, id, reason],
  })
  return rows[0] && approvalOf(rows[0])
}

/** `by`: the person, null for the budget of the token, which is spent by `recipientsCount`: the people by now. */
type Decision = {
  id: string
  status: 'approved' | 'rejected'
  by: { id: string | null; name: string | null } | null
  recipientsCount?: number
}

/** Answers it as it is then; undefined when it was decided meanwhile, or its time is over. */
export async function decideApproval(
  tx: Queryable,
  workspaceId: string,
  { id, status, by, recipientsCount }: Decision,
): Promise<ApprovalRow | undefined> {
  const { rows } = await tx.query<StoredApproval>({
    name: 'decide_approval',
    text: `update approvals a set status = $3, decided_by = $4::json, by_budget = $4::json is null, decided_at = now(),
        recipients_count = coalesce($5, recipients_count)
      where workspace_id = $1 and id = $2 and status = 'waiting' and expires_at > now() returning ${COLUMNS}`,
    values: [workspaceId, id, status, by && JSON.stringify(by), recipientsCount ?? null],
  })
  return rows[0] && approvalOf(rows[0])
}
