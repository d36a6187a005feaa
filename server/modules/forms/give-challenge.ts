import { inTransaction } from '../../platform/db/transaction.ts'
import { type Challenge, makeChallenge } from './challenge.ts'
import type { FoundForm } from './find-form.ts'
import { isUnderAttack } from './form-rate.ts'
import { judgeRenderToken } from './render-token.ts'
import type { TakeDeps } from './take-submission.ts'

/**
 * The work that a browser has to do before it sends a form, more of it while the form is attacked. Undefined for a form that
 * asks for none, and for a render token that is not ours, or over.
 */
export async function giveChallenge(
  deps: TakeDeps,
  form: FoundForm,
  renderToken: unknown,
): Promise<Challenge | undefined> {
  const { workspaceId, id: formId, key: formKey, content } = form
  const nowMs = deps.now()
  const { age } = judgeRenderToken(deps.keys, renderToken, { formKey, nowMs })
  if (content.challenge === 'off' || age === 'none' || age === 'late') return undefined
  const isHard =
    content.challenge === 'always' ||
    (await inTransaction(deps.sql, workspaceId, (tx) => isUnderAttack(tx, workspaceId, { formId, nowMs })))
  return makeChallenge(deps.keys, { formKey, renderToken: String(renderToken), nowMs }, isHard ? 'hard' : 'easy')
}
