import type { SecretBox, SecretKeys } from '../../platform/crypto/secret-box.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
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
  /** Has whatever was filled in with an address deleted, in the transaction that erases who has it. */
  forget(tx: Transaction, workspaceId: string, email: string): Promise<void>
}

export function formsOfPeople({ keys, secrets }: { keys: SecretKeys; secrets: SecretBox }): FormsOfPeople {
  const subjects = createSubjects(keys)
  return {
    list(tx, workspaceId, { id, email }) {
      const hash = email === null ? null : addressHash(subjects, workspaceId, email)
      return submissionsOfPerson(tx, secrets, { workspaceId, contactId: id, addressHash: hash })
    },
    forget(tx, workspaceId, email) {
      const hash = addressHash(subjects, workspaceId, email).toString('hex')
      const until = new Date().toISOString()
      return enqueue(tx, FORGET_FORM_SUBMISSIONS, { workspaceId, addressHash: hash, until })
    },
  }
}
