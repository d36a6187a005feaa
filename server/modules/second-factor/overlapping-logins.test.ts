import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../../../test/support/eventually.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { secretBox, secretKeys } from '../../platform/crypto/secret-box.ts'
import { ALL_WORKSPACES, inTransaction, queryInScope, type Transaction } from '../../platform/db/transaction.ts'
import { insertAccount, prepareAccount } from '../auth/accounts.ts'
import { changePassword, replacePassword } from '../auth/change-password.ts'
import { type ClientOrigin, logIn } from '../auth/log-in.ts'
import { hashPassword } from '../auth/password-hash.ts'
import { lockPerson } from '../auth/people.ts'
import { closeOtherSessions, type SignedIn, sessionHash, sessionUser } from '../auth/sessions.ts'
import { connectAgent } from '../oauth/connect-agent.ts'
import { confirmFactor, insertUnconfirmed } from './queries.ts'

const { pool: sql, workspaceId } = await testWorkspace()
const secrets = secretBox(secretKeys([{ id: 'k', key: Buffer.alloc(32, 7) }]))
const OLD = 'the old correct horse'
const NEW = 'the new correct horse'

let n = 0
async function person() {
  const account = await prepareAccount({ email: `overlap-${++n}@example.com`, password: OLD })
  return inTransaction(sql, ALL_WORKSPACES, (tx) => insertAccount(tx, account))
}

const origin = (): ClientOrigin => ({ requestId: null, ip: `192.0.2.${++n}`, userAgent: null })
const logInWith = (email: string, password: string) =>
  logIn({ sql }, { email, password, origin: origin(), presented: undefined })

async function signedIn(email: string): Promise<SignedIn> {
  const login = await logInWith(email, OLD)
  assert.ok(login.outcome === 'signed_in')
  return { user: login.user, sessionHash: sessionHash(login.sessionId) }
}

/** Has `request` begin while `change` is not committed yet, and commits that once the request waits or is answered. */
async function overlapping<T>(change: (tx: Transaction) => Promise<void>, request: () => Promise<T>) {
  const { promise: changed, resolve: tellChanged } = Promise.withResolvers<void>()
  const { promise: mayCommit, resolve: commit } = Promise.withResolvers<void>()
  const changing = inTransaction(sql, ALL_WORKSPACES, async (tx) => {
    await change(tx)
    tellChanged()
    await mayCommit
  })
  await changed
  let isAnswered = false
  const answer = request().finally(() => {
    isAnswered = true
  })
  const outcome = Promise.allSettled([answer])
  const waits = `select from pg_locks l join pg_database d on d.oid = l.database or l.database is null
    where not l.granted and l.locktype in ('tuple', 'transactionid') and d.datname = current_database()`
  await eventually(
    'the request waits, or is answered',
    async () => isAnswered || (await sql.query(waits)).rowCount! > 0,
  )
  commit()
  await changing
  return (await outcome)[0]!
}

const sessionsOf = async (userId: string) =>
  (await sql.query('select from sessions where user_id = $1', [userId])).rowCount

async function setNewPassword(tx: Transaction, user: SignedIn['user']) {
  const passwordHash = await hashPassword(NEW)
  await replacePassword(tx, user, { passwordHash, kept: undefined, origin: origin() })
}

test('a login that overlaps a new password keeps no session', async () => {
  const user = await person()
  const login = await overlapping(
    (tx) => setNewPassword(tx, user),
    () => logInWith(user.email, OLD),
  )
  assert.equal(login.status, 'rejected')
  assert.equal((login.reason as { statusCode?: number }).statusCode, 401)
  assert.equal(await sessionsOf(user.id), 0)
  assert.equal((await logInWith(user.email, NEW)).outcome, 'signed_in')
})

test('a login that overlaps the confirmation of a second factor is asked for it', async () => {
  const user = await person()
  const login = await overlapping(
    async (tx) => {
      await lockPerson(tx, user.id)
      await insertUnconfirmed(tx, user.id, 'sealed')
      await confirmFactor(tx, user.id, 1)
      await closeOtherSessions(tx, user.id, undefined)
    },
    () => logInWith(user.email, OLD),
  )
  assert.ok(login.status === 'fulfilled')
  assert.equal(login.value.outcome, 'second_factor_required')
  assert.equal(await sessionsOf(user.id), 0)
})

test('a session that a new password ends can no longer set another, though it has shown the old one', async () => {
  const user = await person()
  const session = await signedIn(user.email)
  const change = { currentPassword: OLD, newPassword: 'a password of a thief', origin: origin() }
  const changed = await overlapping(
    (tx) => setNewPassword(tx, user),
    () => changePassword({ sql }, session, change),
  )
  assert.equal(changed.status, 'rejected')
  assert.equal(await sessionUser(sql, session.sessionHash), undefined)
  assert.equal((await logInWith(user.email, NEW)).outcome, 'signed_in')
})

/** An admin, and how they connect an agent. */
async function connecting() {
  const user = await person()
  const [workspace] = await queryInScope<{ slug: string }>(sql, ALL_WORKSPACES, {
    text: `with member as (insert into memberships (workspace_id, user_id, role) values ($1, $2, 'admin'))
      select slug from workspaces where id = $1`,
    values: [workspaceId, user.id],
  })
  const { slug } = workspace!
  const scopes = ['contacts:read'] as const
  const redirectUri = 'http://127.0.0.1:1/callback'
  const asked = { clientId: 'a', redirectUri, codeChallenge: 'c'.repeat(43), scopes, state: null }
  const client = { id: 'a', name: 'Agent', redirectUris: [redirectUri], host: null }
  const consent = { asked, client, slug, scopes, shown: { password: OLD } }
  const own = await signedIn(user.email)
  return { user, own, connect: () => connectAgent({ sql, secrets }, own, { ...consent, origin: origin() }) }
}

const agentsOf = (userId: string) =>
  queryInScope<{ open: boolean }>(sql, ALL_WORKSPACES, {
    text: `select t.revoked_at is null as open from agent_grants g join api_tokens t on t.id = g.token_id
      where g.user_id = $1`,
    values: [userId],
  })

test('an agent that is connected while the password is changed is not, from the session that is kept either', async () => {
  const { user, own, connect } = await connecting()
  await connect()
  const passwordHash = await hashPassword(NEW)
  const late = await overlapping(
    (tx) => replacePassword(tx, user, { passwordHash, kept: own.sessionHash, origin: origin() }),
    connect,
  )
  // It may wait before it has read the password that it compares, or after.
  const refused = /was changed just now|is not yours/
  assert.match(late.status === 'rejected' ? JSON.stringify(late.reason.errors) : late.status, refused)
  assert.deepEqual(await agentsOf(user.id), [{ open: false }])
})

const TAKEN = {
  'is removed': ['delete from memberships where workspace_id = $1 and user_id = $2', 404],
  'is made a viewer': [`update memberships set role = 'viewer' where workspace_id = $1 and user_id = $2`, 403],
} as const
for (const [becomes, [text, status]] of Object.entries(TAKEN)) {
  test(`an agent that somebody connects who ${becomes} meanwhile is not: nobody would look for it`, async () => {
    const { user, connect } = await connecting()
    const late = await overlapping(async (tx) => {
      await tx.query(text, [workspaceId, user.id])
    }, connect)
    assert.equal(late.status === 'rejected' && late.reason.statusCode, status)
    assert.deepEqual(await agentsOf(user.id), [])
  })
}
