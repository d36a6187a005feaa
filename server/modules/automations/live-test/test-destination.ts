import type pg from 'pg'
import { invalid, unprocessable } from '../../../catalogue/problems.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import { normaliseEmail } from '../../../platform/mail/mail-address.ts'
import type { Caller } from '../../auth/caller.ts'
import { requireMemberAddresses } from '../../broadcasts/preflight/member-address.ts'
import { readMember } from '../../members/manage-members.ts'
import { ownersOf } from '../../members/owners-of.ts'

/**
 * The address that tests of automations go to: one of the team, for who may write an automation may not therefore write to anybody.
 * Throws 400 for what is no address, 422 for somebody else's without `emails:send`, and for none where a token asks and nobody is
 * the owner.
 */
export async function testDestination(sql: pg.Pool, caller: Caller, email: string | undefined): Promise<string> {
  const { workspaceId, actor, scopes } = caller
  if (email === undefined) return ownAddress(sql, caller)
  const destination = normaliseEmail(email)
  if (destination === undefined) throw invalid([{ pointer: '/email', detail: 'must be an email address' }])
  if (scopes.has('emails:send')) return destination
  const otherwise = `: for others ${actor.kind === 'user' ? 'your role' : 'the token'} needs emails:send`
  await requireMemberAddresses(sql, workspaceId, { emails: [destination], otherwise })
  return destination
}

async function ownAddress(sql: pg.Pool, { workspaceId, actor }: Caller): Promise<string> {
  if (actor.kind === 'user') return (await readMember({ sql }, workspaceId, actor.id!)).email
  const [first] = await inTransaction(sql, workspaceId, (tx) => ownersOf(tx, workspaceId))
  if (first) return first.email
  throw unprocessable([
    { pointer: '/email', detail: 'is needed: this workspace has no owner whom the mails could go to' },
  ])
}
