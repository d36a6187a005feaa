import type { SecretBox } from '../../platform/crypto/secret-box.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import type { FilledIn } from './read-values.ts'
import type { FormContent, FormSubmission } from './schemas.ts'
import { submissionRow } from './submission-row.ts'

/** The newest; addresses are asked three times a month at most. */
const SUBMISSIONS_MAX = 1_000

export type SubmissionOfPerson = Pick<FormSubmission, 'id' | 'state' | 'reason' | 'version' | 'origin' | 'ip'> & {
  formId: string
  form: string
  consentWording: string
  confirmIp: string | null
  createdAt: string
  confirmedAt: string | null
  /** Of one that nobody has confirmed yet; of a confirmed one the contact has them. */
  values: FilledIn | null
}

type Row = Omit<SubmissionOfPerson, 'form' | 'consentWording' | 'values'> & { form: string; content: string | null }

/** Forms that a person signed up by, or that were filled in with their address, newest first. */
export async function submissionsOfPerson(
  tx: Transaction,
  secrets: SecretBox,
  person: { workspaceId: string; contactId: string; addressHash: Buffer | null },
): Promise<SubmissionOfPerson[]> {
  const { workspaceId, contactId, addressHash } = person
  const { rows } = await tx.query<Row>({
    name: 'form_submissions_of_person',
    text: `with theirs as (
        select id from form_submissions where workspace_id = $1 and contact_id = $2
        union select id from form_submissions where workspace_id = $1 and address_hash = $3
        order by id desc limit $4
      )
      select s.id, s.form_id as "formId", v.content as form, s.version, s.state, s.reason, s.content, s.origin, s.ip::text as ip,
        s.confirm_ip::text as "confirmIp", s.created_at as "createdAt", s.confirmed_at as "confirmedAt"
      from theirs join form_submissions s on s.workspace_id = $1 and s.id = theirs.id
      join form_versions v on v.workspace_id = $1 and v.form_id = s.form_id and v.version = s.version
      order by s.id desc`,
    values: [workspaceId, contactId, addressHash, SUBMISSIONS_MAX],
  })
  return rows.map(({ form, content, ...row }) => {
    const { name, consentWording } = JSON.parse(form) as FormContent
    const values =
      content === null ? null : (JSON.parse(secrets.open(content, submissionRow(workspaceId, row.id))) as FilledIn)
    return { ...row, form: name, consentWording, values }
  })
}
