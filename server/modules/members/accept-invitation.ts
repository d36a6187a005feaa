import type pg from 'pg'
import { conflict, invalid, noSession, notFound, otherAccount } from '../../catalogue/problems.ts'
import { oneTimeTokenHash } from '../../platform/crypto/one-time-token.ts'
import { ALL_WORKSPACES, inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { accountByEmail, insertAccount, prepareAccount } from '../auth/accounts.ts'
import type { Caller } from '../auth/caller.ts'
import type { Origin, User } from '../auth/people.ts'
import { ROLE_PERMISSIONS } from '../auth/roles.ts'
import { openSession } from '../auth/sessions.ts'
import { addMember } from './create-user.ts'
import { type FoundInvitation, invitationByTokenStatement, takeInvitation } from './invitation-queries.ts'
import { lockMembers } from './member-queries.ts'

type Deps = { sql: pg.Pool }

export type OpenInvitation = FoundInvitation & { accountExists: boolean }

/** The workspace and role that the holder of a link is invited to. 404 for a link that is unknown, used, revoked or over. */
export async function readInvitation({ sql }: Deps, token: string): Promise<OpenInvitation> {
  const statement = invitationByTokenStatement(oneTimeTokenHash(token))
  const [found] = await queryInScope(sql, ALL_WORKSPACES, statement)
  if (found === undefined) throw notFound()
  return { ...found, accountExists: (await accountByEmail(sql, found.email)) !== undefined }
}

export type Acceptance = {
  token: string
  /** The user who is logged in where the link was opened. */
  signedIn: User | undefined
  name?: string
  password?: string
  origin: Origin
}

export type Accepted = {
  user: User
  /** Of the session of an account that was made here; somebody who has an account is logged in already. */
  sessionId: string | undefined
}

/**
 * Accepts an invitation: as the account that is logged in, which must have the invited address, or by making the account.
 * 404 as for reading, 401 when the account exists and nobody is logged in, 403 when somebody else is, 400 for a missing
 * password, 409 for who is a member already.
 */
export async function acceptInvitation(deps: Deps, input: Acceptance): Promise<Accepted> {
  const found = await readInvitation(deps, input.token)
  const { signedIn } = input
  if (signedIn !== undefined && signedIn.email !== found.email) {
    throw otherAccount('The invitation is for another address than the account that is logged in.')
  }
  if (signedIn === undefined && found.accountExists) throw noSession()
  if (signedIn !== undefined && (input.name ?? input.password) !== undefined) {
    throw invalid([{ pointer: '', detail: 'must be empty: the account exists' }])
  }
  const account = signedIn === undefined ? await newAccount(found, input) : undefined
  return inTransaction(deps.sql, ALL_WORKSPACES, async (tx) => {
    await lockMembers(tx, found.workspaceId)
    // The second to come with the link finds it gone.
    if (!(await takeInvitation(tx, oneTimeTokenHash(input.token)))) throw notFound()
    const user = account === undefined ? (signedIn as User) : await insertAccount(tx, account)
    const caller: Caller = {
      workspaceId: found.workspaceId,
      actor: { kind: 'user', id: user.id, name: user.name },
      scopes: ROLE_PERMISSIONS[found.role],
      ...input.origin,
    }
    if (!(await addMember(tx, caller, { user, role: found.role }))) throw conflict('email', 'is a member already')
    await recordAudit(tx, caller, {
      action: 'invitation.accept',
      target: { type: 'invitation', id: found.id, name: null },
      diff: { role: { from: null, to: found.role } },
    })
    return { user, sessionId: account && (await openSession(tx, user, input.origin)) }
  })
}

function newAccount({ email }: FoundInvitation, { name, password }: Acceptance) {
  if (password === undefined) throw invalid([{ pointer: '/password', detail: 'is required for a new account' }])
  return prepareAccount({ email, password, ...(name === undefined ? {} : { name }) })
}
