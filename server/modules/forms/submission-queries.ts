import type { Queryable } from '../../platform/db/transaction.ts'
import type { FormSubmission } from './schemas.ts'

export type SubmissionRow = Pick<
  FormSubmission,
  'id' | 'state' | 'version' | 'messageId' | 'createdAt' | 'confirmedAt' | 'ip'
> & {
  formId: string
  /** Of one that is confirmed; null before, and once that contact is gone. */
  contactId: string | null
  /** Sealed. */
  content: string | null
  /** The browser in which it was filled in, while it waits: whatever confirms, refuses or expires it clears this, as it does `content`, and `expireFormSubmissions` what versions of before have left. */
  visitorId: string | null
  addressHash: Buffer
}

const SUBMISSION = `s.id, s.form_id as "formId", s.contact_id as "contactId", s.version, s.state, s.content, s.visitor_id as "visitorId", s.address_hash as "addressHash", s.ip::text as ip,
  s.message_id as "messageId", s.created_at as "createdAt", s.confirmed_at as "confirmedAt"`

/** Drawn before the row exists, because what was filled in is sealed to it. */
export async function newSubmissionId(tx: Queryable): Promise<string> {
  const { rows } = await tx.query<{ id: string }>(
    `select nextval(pg_get_serial_sequence('form_submissions', 'id')) as id`,
  )
  return rows[0]!.id
}

export type NewSubmission = {
  id: string
  formId: string
  version: number
  content: string
  visitorId: string | null
  addressHash: Buffer
  ip: string | null
  origin: string | null
  createdAt: string
}

export async function insertSubmission(tx: Queryable, workspaceId: string, made: NewSubmission): Promise<void> {
  await tx.query({
    name: 'insert_form_submission',
    text: `insert into form_submissions
        (workspace_id, id, form_id, version, content, address_hash, ip, origin, created_at, visitor_id)
      overriding system value values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    values: [
      ...[workspaceId, made.id, made.formId, made.version, made.content, made.addressHash],
      ...[made.ip, made.origin, made.createdAt, made.visitorId],
    ],
  })
}

/** The row, locked until the transaction ends; none of a form that is deleted. */
export async function submissionForChange(
  tx: Queryable,
  workspaceId: string,
  id: string,
): Promise<SubmissionRow | undefined> {
  const { rows } = await tx.query<SubmissionRow>({
    name: 'form_submission_for_change',
    text: `select ${SUBMISSION} from form_submissions s where s.workspace_id = $1 and s.id = $2 and exists (
        select from forms f where f.workspace_id = $1 and f.id = s.form_id and f.deleted_at is null) for update`,
    values: [workspaceId, id],
  })
  return rows[0]
}

export async function noteMessage(
  tx: Queryable,
  workspaceId: string,
  { id, messageId }: { id: string; messageId: string },
): Promise<void> {
  await tx.query({
    name: 'note_message_of_form_submission',
    text: 'update form_submissions set message_id = $3 where workspace_id = $1 and id = $2',
    values: [workspaceId, id, messageId],
  })
}

/** Ends a submission without a contact; what was filled in is gone. */
export async function refuseSubmission(
  tx: Queryable,
  workspaceId: string,
  { id, reason }: { id: string; reason: NonNullable<FormSubmission['reason']> },
): Promise<void> {
  await tx.query({
    name: 'refuse_form_submission',
    text: `update form_submissions set state = 'refused', reason = $3, content = null, visitor_id = null where workspace_id = $1 and id = $2`,
    values: [workspaceId, id, reason],
  })
}

export async function confirmSubmissionRow(
  tx: Queryable,
  workspaceId: string,
  made: { id: string; contactId: string; ip: string | null; confirmedAt: string },
): Promise<void> {
  await tx.query({
    name: 'confirm_form_submission',
    text: `update form_submissions set state = 'confirmed', contact_id = $3, confirm_ip = $4, confirmed_at = $5, content = null, visitor_id = null
      where workspace_id = $1 and id = $2`,
    values: [workspaceId, made.id, made.contactId, made.ip, made.confirmedAt],
  })
}

export async function isBlocked(tx: Queryable, workspaceId: string, addressHash: Buffer): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'form_block',
    text: 'select from form_blocks where workspace_id = $1 and address_hash = $2',
    values: [workspaceId, addressHash],
  })
  return rowCount !== 0
}

/**
 * Refuses what waits for the word of an address that has said no, and answers the mails that asked: few, as budgets are. One
 * that was not asked yet is refused when its turn comes.
 */
export async function refuseAsked(tx: Queryable, workspaceId: string, addressHash: Buffer): Promise<string[]> {
  const { rows } = await tx.query<{ messageId: string }>({
    name: 'refuse_asked_form_submissions',
    text: `with asked as (
        select id from form_submissions
        where workspace_id = $1 and address_hash = $2 and state = 'pending' and message_id is not null
        for update skip locked
      )
      update form_submissions s set state = 'refused', reason = 'blocked', content = null, visitor_id = null from asked
      where s.workspace_id = $1 and s.id = asked.id returning s.message_id as "messageId"`,
    values: [workspaceId, addressHash],
  })
  return rows.map(({ messageId }) => messageId)
}

/** Has forms ask the address no more. */
export async function blockAddress(tx: Queryable, workspaceId: string, addressHash: Buffer): Promise<void> {
  await tx.query({
    name: 'block_address_of_forms',
    text: 'insert into form_blocks (workspace_id, address_hash) values ($1, $2) on conflict do nothing',
    values: [workspaceId, addressHash],
  })
}

/** Adds to the sums of a form. */
export async function countOutcome(
  tx: Queryable,
  workspaceId: string,
  { formId, outcome, nowMs, total = 1 }: { formId: string; outcome: string; nowMs: number; total?: number },
): Promise<void> {
  await tx.query({
    name: 'count_form_outcome',
    text: `insert into form_hours as h (workspace_id, form_id, hour, outcome, total)
      values ($1, $2, date_trunc('hour', $3::timestamptz, 'UTC'), $4, $5)
      on conflict (workspace_id, form_id, hour, outcome) do update set total = h.total + excluded.total`,
    values: [workspaceId, formId, new Date(nowMs).toISOString(), outcome, total],
  })
}
