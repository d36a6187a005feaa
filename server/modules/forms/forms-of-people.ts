import type { SecretBox, SecretKeys } from '../../platform/crypto/secret-box.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import { enqueueAll } from '../../platform/jobs/enqueue.ts'
import { FORGET_FORM_SUBMISSIONS, type SubmittedSoFar, submittedSoFar } from './forget-form-submissions.ts'
import { addressHash, createSubjects } from './mail-budgets.ts'
import { type SubmissionOfPerson, submissionsOfPerson } from './submissions-of-person.ts'

/** Submissions about a person, for those who answer and erase people. */
export type FormsOfPeople = {
  list(
    tx: Transaction,
    workspaceId: string,
    contact: { id: string; email: string | null },
  ): Promise<SubmissionOfPerson[]>
  /** Up to where submissions may be about whom the transaction erases, once it holds them: what comes later is about somebody new. */
  soFar(tx: Transaction): Promise<SubmittedSoFar>
  /** Has whatever was filled in with these addresses so far deleted, in the transaction that erases who has them. */
  forget(
    tx: Transaction,
    workspaceId: string,
    given: { emails: readonly string[]; soFar: SubmittedSoFar },
  ): Promise<void>
}

export function formsOfPeople({ keys, secrets }: { keys: SecretKeys; secrets: SecretBox }): FormsOfPeople {
  const subjects = createSubjects(keys)
  return {
    list(tx, workspaceId, { id, email }) {
      const hash = email === null ? null : addressHash(subjects, workspaceId, email)
      return submissionsOfPerson(tx, secrets, { workspaceId, contactId: id, addressHash: hash })
    },
    soFar: submittedSoFar,
    async forget(tx, workspaceId, { emails, soFar }) {
      if (emails.length === 0) return
      const hashes = emails.map((email) => addressHash(subjects, workspaceId, email).toString('hex'))
      const jobs = hashes.map((hash) => ({ payload: { workspaceId, addressHash: hash, ...soFar } }))
      await enqueueAll(tx, FORGET_FORM_SUBMISSIONS, jobs)
    },
  }
}
