import { int8Array } from '../../platform/db/arrays.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import type { OtherConfirmation } from '../confirmations/confirmation-source.ts'
import { contentOf } from './manage-forms.ts'
import { signUpPath } from './sign-up-link.ts'

/**
 * The sign-ups that messages ask about, with nothing of what was filled in: a mail to a stranger carries no text that somebody
 * else has chosen. Nobody is asked any more about one that was confirmed or refused, or is over.
 */
export async function confirmationsOfForms(
  tx: Transaction,
  workspaceId: string,
  messageIds: readonly string[],
): Promise<OtherConfirmation[]> {
  const { rows } = await tx.query<{ id: string; messageId: string; content: string }>({
    name: 'form_submissions_of_messages',
    text: `select s.id, s.message_id as "messageId", v.content from form_submissions s
        join form_versions v on v.workspace_id = $1 and v.form_id = s.form_id and v.version = s.version
      where s.workspace_id = $1 and s.message_id = any ($2::int8[]) and s.state = 'pending'`,
    values: [workspaceId, int8Array(messageIds)],
  })
  return rows.map(({ id, messageId, content }) => ({
    messageId,
    pathOf: (key) => signUpPath(key, { workspaceId, submissionId: id }),
    language: contentOf(content).locale,
  }))
}
