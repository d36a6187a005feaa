import { factorNeeded, invalid, missingPermission, notFound } from '../../catalogue/problems.ts'
import type { AgentScope } from '../../catalogue/scopes.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { storeAgentToken } from '../auth/agent-tokens.ts'
import type { ClientOrigin } from '../auth/log-in.ts'
import { lockRole } from '../auth/people.ts'
import { ROLE_PERMISSIONS, type Role } from '../auth/roles.ts'
import { lockSignedIn, type SignedIn, sessionMember } from '../auth/sessions.ts'
import { lockProven, proveOneself, type Shown, type StepUpDeps } from '../second-factor/step-up.ts'
import { makeAgentSecret } from './agent-secret.ts'
import type { Client } from './client-metadata.ts'
import type { Authorization } from './read-authorization.ts'
import { insertSecret } from './secret-queries.ts'

/** RFC 6749 section 4.1.2 recommends ten minutes at most. A program asks at once. */
const CODE_SECONDS = 60

export type Consent = {
  asked: Authorization
  client: Client
  /** Where the agent is let in. */
  slug: string
  /** Of those that were asked for, those that the person leaves it. */
  scopes: readonly AgentScope[]
  shown: Shown
  origin: ClientOrigin
}

/**
 * Lets an agent into a workspace in the name of a person who has shown that the session is theirs, and answers the code that its
 * client fetches tokens with. Throws 400 for a password or code that is missing or wrong and for no scope at all, 401 when the session was ended
 * meanwhile, 403 where the person may not make tokens, 404, 429.
 */
export async function connectAgent(deps: StepUpDeps, signedIn: SignedIn, consent: Consent): Promise<string> {
  const { user } = signedIn
  const { client, asked, shown, origin } = consent
  const workspaceId = await workspaceFor(deps, signedIn, consent)
  const proof = await proveOneself(deps, user.id, { ...shown, origin })
  const { secret, hash } = makeAgentSecret('code')
  await inTransaction(deps.sql, workspaceId, async (tx) => {
    // Of a new password or factor and a connection at one moment the former has the last word.
    if (!(await lockProven(tx, user.id, proof))) throw provenOtherwise()
    await lockSignedIn(tx, signedIn)
    // Somebody who is removed, or has another role, while they connect one would leave it behind.
    requireScopes(await lockRole(tx, workspaceId, user.id), consent)
    const expiresAt = new Date(Date.now() + CODE_SECONDS * 1_000).toISOString()
    const token = { workspaceId, name: client.name, scopes: [...consent.scopes].sort(), expiresAt }
    const tokenId = await storeAgentToken(tx, token)
    const redirectHost = new URL(asked.redirectUri).host
    await tx.query({
      name: 'insert_agent_grant',
      text: `insert into agent_grants (workspace_id, token_id, user_id, client_id, client_host, redirect_host)
        values ($1, $2, $3, $4, $5, $6)`,
      values: [workspaceId, tokenId, user.id, client.id, client.host, redirectHost],
    })
    const { codeChallenge, redirectUri } = asked
    const code = {
      workspaceId,
      tokenId,
      hash,
      kind: 'code',
      seconds: CODE_SECONDS,
      codeChallenge,
      redirectUri,
    } as const
    await insertSecret(tx, code)
    const actor = { kind: 'user', id: user.id, name: user.name } as const
    await recordAudit(
      tx,
      { workspaceId, actor, ...origin },
      {
        action: 'agent.connect',
        target: { type: 'agent', id: tokenId, name: client.name },
        diff: {
          scopes: { from: null, to: token.scopes },
          client: { from: null, to: { host: client.host, redirectHost } },
        },
      },
    )
  })
  return secret
}

const provenOtherwise = () =>
  invalid([{ pointer: '', detail: 'has to be shown once more, for it was changed just now' }])

async function workspaceFor({ sql }: StepUpDeps, { sessionHash }: SignedIn, { slug, asked, scopes }: Consent) {
  const member = await sessionMember(sql, sessionHash, slug)
  if (member?.workspace === undefined) throw notFound()
  const { id, role, closed } = member.workspace
  if (closed) throw factorNeeded()
  requireScopes(role, { scopes })
  if (scopes.length === 0 || scopes.some((scope) => !asked.scopes.includes(scope)))
    throw invalid([{ pointer: '', detail: 'has to leave the agent something that it asked for' }])
  return id
}

/** Throws 404 for who is no member, 403 for a role that may not let an agent in, or not with these scopes. */
function requireScopes(role: Role | undefined, { scopes }: Pick<Consent, 'scopes'>): void {
  if (role === undefined) throw notFound()
  const permissions = ROLE_PERMISSIONS[role]
  const lacking = (['tokens:write', ...scopes] as const).find((permission) => !permissions.has(permission))
  if (lacking !== undefined) throw missingPermission(lacking)
}
