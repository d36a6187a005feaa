import type { SecretBox, SecretKeys } from '../../platform/crypto/secret-box.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import { enqueueAll } from '../../platform/jobs/enqueue.ts'
import { FORGET_FORM_SUBMISSIONS } from './forget-form-submissions.ts'
import { addressHash, createSubjects } from './mail-budgets.ts'
import { type SubmissionOfPerson, submissionsOfPerson } from './submissions-of-person.ts'

/** Submissions about a person, for those who answer and erase people. */
export type FormsOfPeople = {
  list(
    tx: Transaction,
    workspaceId: string,
    contact: { id: string; email: string | null },
  ): Promise<SubmissionOfPerson[]>
  /** Has whatever was filled in with these addresses deleted, in the transaction that erases who has them. */
  forget(tx: Transaction, workspaceId: string, emails: readonly string[]): Promise<void>
}

export function formsOfPeople({ keys, secrets }: { keys: SecretKeys; secrets: SecretBox }): FormsOfPeople {
  const subjects = createSubjects(keys)
  return {
    list(tx, workspaceId, { id, email }) {
      const hash = email === null ? null : addressHash(subjects, workspaceId, email)
      return submissionsOfPerson(tx, secrets, { workspaceId, contactId: id, addressHash: hash })
    },
    async forget(tx, workspaceId, emails) {
      if (emails.length === 0) return
      const until = new Date().toISOString()
      const hashes = emails.map((email) => addressHash(subjects, workspaceId, email).toString('hex'))
      const jobs = hashes.map((hash) => ({ payload: { workspaceId, addressHash: hash, until } }))
      await enqueueAll(tx, FORGET_FORM_SUBMISSIONS, jobs)
    },
  }
}
