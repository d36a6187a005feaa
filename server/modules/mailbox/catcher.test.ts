import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:net'
import { after, test } from 'node:test'
import { createTransport } from 'nodemailer'
import { createWorkspace, testWorkspace } from '../../../test/support/workspace.ts'
import { secretBox, secretKeys } from '../../platform/crypto/secret-box.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { integrationFor } from '../integrations/sending-integration.ts'
import { signingKeyFor } from '../sending-domains/signing-key.ts'
import { startCatcher } from './catcher.ts'
import { isCatcher, parseCatcherAddress } from './catcher-address.ts'
import { ensureMailboxes } from './ensure-mailbox.ts'
import { deleteOldMails } from './queries.ts'

const { pool, database, workspaceId } = await testWorkspace()
const secrets = secretBox(secretKeys([{ id: 'k1', key: randomBytes(32) }]))
const errors: unknown[] = []
const ANY_PORT = { host: '127.0.0.1', port: 0, orAnyPort: false }
const catcher = await startCatcher({ sql: pool, onError: (error) => errors.push(error) }, ANY_PORT)
after(() => catcher.close())
const deps = { sql: pool, secrets, address: catcher.address }
await ensureMailboxes(deps)

function defaultIntegration(workspace: string) {
  return inTransaction(pool, workspace, async (tx) => {
    const choice = await integrationFor(tx, secrets, { workspaceId: workspace, integrationId: null })
    assert.ok(choice.outcome === 'found')
    return choice.integration
  })
}

/** A foreign mail client, logged in as a workspace's own integration does. */
async function clientOf(workspace: string, login: { user?: string; pass?: string } = {}) {
  const { smtp } = await defaultIntegration(workspace)
  const { host, port, login: own } = smtp!
  return createTransport({
    ...{ host, port, secure: false, ignoreTLS: true },
    auth: { user: own!.username, pass: own!.password.reveal(), ...login },
  })
}

async function caught(workspace: string) {
  return inTransaction(pool, workspace, async (tx) => {
    const { rows } = await tx.query(
      `select mail_from as "mailFrom", recipients, subject, from_text as "from", to_text as "to", raw, bytes
        from caught_mails where workspace_id = $1 order by id`,
      [workspace],
    )
    return rows
  })
}

test('a new workspace sends to its mailbox by default, from a domain that signs there and is verified nowhere', async () => {
  const integration = await defaultIntegration(workspaceId)
  assert.equal(integration.from, 'hello@postroom.localhost')
  assert.ok(isCatcher(catcher.address, integration))
  await inTransaction(pool, workspaceId, async (tx) => {
    const domain = { workspaceId, domain: 'postroom.localhost' }
    assert.equal(await signingKeyFor(tx, secrets, domain), undefined)
    const key = await signingKeyFor(tx, secrets, { ...domain, staysHere: true })
    assert.equal(key?.selector, 'postroom')
    const { rows } = await tx.query(
      `select actor_kind as kind, action from audit_entries where workspace_id = $1 order by id`,
      [workspaceId],
    )
    assert.deepEqual(rows, [
      { kind: 'system', action: 'integration.create' },
      { kind: 'system', action: 'sending_domain.create' },
    ])
  })
})

test('mail is kept as it came, with what the list shows of it', async () => {
  const client = await clientOf(workspaceId)
  await client.sendMail({
    from: 'Zoë <zoe@example.com>',
    to: ['Ada Lovelace <ada@example.com>', 'charles@example.com'],
    bcc: 'hidden@example.com',
    subject: 'Grüße aus Köln 🎉',
    text: '.a line that begins with a dot\r\n',
  })
  client.close()
  const [mail] = await caught(workspaceId)
  assert.equal(mail.mailFrom, 'zoe@example.com')
  assert.deepEqual(mail.recipients, ['ada@example.com', 'charles@example.com', 'hidden@example.com'])
  assert.deepEqual(
    [mail.subject, mail.from, mail.to],
    ['Grüße aus Köln 🎉', 'Zoë', 'Ada Lovelace, charles@example.com'],
  )
  assert.match(mail.raw.toString(), /\r\n\.a line that begins with a dot\r\n/)
  assert.equal(mail.bytes, mail.raw.length)
})

test('a workspace logs in to its own mailbox only, and nobody hands over mail without a login', async () => {
  const other = await createWorkspace(pool)
  await ensureMailboxes(deps)
  const intruder = await clientOf(other, { user: `workspace-${workspaceId}` })
  await assert.rejects(intruder.verify(), { responseCode: 535 })
  for (const user of ['workspace-0', 'workspace-99999999999999999999', 'admin', `workspace-${workspaceId}'`]) {
    await assert.rejects((await clientOf(other, { user })).verify(), { responseCode: 535 })
  }
  const before = (await caught(workspaceId)).length
  const { host, port } = catcher.address
  const stranger = createTransport({ host, port, secure: false, ignoreTLS: true })
  await assert.rejects(stranger.sendMail({ from: 'a@example.com', to: 'b@example.com', text: 'x' }), {
    responseCode: 530,
  })
  const client = await clientOf(other)
  await client.sendMail({ from: 'a@example.com', to: 'b@example.com', text: 'x' })
  assert.equal((await caught(other)).length, 1)
  assert.equal((await caught(workspaceId)).length, before)
  assert.deepEqual(errors, [])
})

test('a message over the limit is refused and not kept', async () => {
  const client = await clientOf(workspaceId)
  const before = (await caught(workspaceId)).length
  const attachments = [{ filename: 'big.bin', content: Buffer.alloc(20 * 1024 * 1024) }]
  await assert.rejects(client.sendMail({ from: 'a@example.com', to: 'b@example.com', attachments }), {
    responseCode: 552,
  })
  assert.equal((await caught(workspaceId)).length, before)
})

test('many mails at once are all kept, and of too many the oldest go', async () => {
  const workspace = await createWorkspace(pool)
  await ensureMailboxes(deps)
  const client = createTransport({ ...(await clientOf(workspace)).options, pool: true, maxConnections: 10 })
  const numbers = Array.from({ length: 300 }, (_, n) => n)
  await Promise.all(
    numbers.map((n) => client.sendMail({ from: 'a@example.com', to: `p${n}@example.com`, subject: `${n}`, text: 'x' })),
  )
  client.close()
  const subjects = (await caught(workspace)).map(({ subject }) => Number(subject))
  assert.deepEqual(
    subjects.toSorted((a, b) => a - b),
    numbers,
  )
  await inTransaction(pool, workspace, (tx) =>
    tx.query(
      `insert into caught_mails (workspace_id, mail_from, recipients, subject, from_text, to_text, raw, bytes)
        select $1, '', '{}', 'filler', '', '', '', 0 from generate_series(1, 9950)`,
      [workspace],
    ),
  )
  await deleteOldMails(pool, workspace)
  const left = await caught(workspace)
  assert.equal(left.length, 10_000)
  assert.equal(left.filter(({ subject }) => subject !== 'filler').length, 50)
})

test('starting again changes nothing, a new address is followed, and a changed integration is left alone', async () => {
  const workspace = await createWorkspace(pool)
  await ensureMailboxes(deps)
  const first = await defaultIntegration(workspace)
  await ensureMailboxes(deps)
  assert.deepEqual(await defaultIntegration(workspace), first)

  const moved = { host: '127.0.0.1', port: 2_525 }
  await ensureMailboxes({ ...deps, address: moved })
  const followed = await defaultIntegration(workspace)
  assert.deepEqual([followed.id, followed.smtp?.port], [first.id, 2_525])
  assert.equal(followed.smtp?.login?.password.reveal(), first.smtp?.login?.password.reveal())
  assert.ok(!isCatcher(catcher.address, followed))

  await inTransaction(pool, workspace, (tx) =>
    tx.query(`update integrations set host = 'mail.example.com' where workspace_id = $1`, [workspace]),
  )
  await ensureMailboxes(deps)
  assert.equal((await defaultIntegration(workspace)).smtp?.host, 'mail.example.com')
})

test('what the owner deleted stays deleted, and who can send already gets no mailbox', async () => {
  const workspace = await createWorkspace(pool)
  await ensureMailboxes(deps)
  await inTransaction(pool, workspace, (tx) =>
    tx.query('delete from integrations where workspace_id = $1', [workspace]),
  )
  await ensureMailboxes(deps)
  const count = await inTransaction(pool, workspace, (tx) =>
    tx.query('select from integrations where workspace_id = $1', [workspace]),
  )
  assert.equal(count.rowCount, 0)
})

test('several processes that start at once make one mailbox each workspace', async () => {
  const workspace = await createWorkspace(pool)
  await Promise.all([1, 2, 3].map(() => ensureMailboxes(deps)))
  const { rowCount } = await inTransaction(pool, workspace, (tx) =>
    tx.query('select from integrations where workspace_id = $1', [workspace]),
  )
  assert.equal(rowCount, 1)
})

test('a taken port fails the start where it was asked for, and gives way to a free one where it was not', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  after(() => taken.close())
  await new Promise((resolve) => taken.once('listening', resolve))
  const { port } = taken.address() as { port: number }
  const at = (orAnyPort: boolean) =>
    startCatcher({ sql: pool, onError: () => assert.fail() }, { host: '127.0.0.1', port, orAnyPort })
  await assert.rejects(at(false), { code: 'EADDRINUSE' })
  const elsewhere = await at(true)
  assert.notEqual(elsewhere.address.port, port)
  await elsewhere.close()
})

test('mail is deferred while the database is away', async () => {
  const away = { sql: { connect: () => Promise.reject(new Error('away')) } as never, onError: () => undefined }
  const lonely = await startCatcher(away, ANY_PORT)
  const { host, port } = lonely.address
  const client = createTransport({
    host,
    port,
    secure: false,
    ignoreTLS: true,
    auth: { user: 'workspace-1', pass: 'x' },
  })
  await assert.rejects(client.verify(), { responseCode: 451 })
  await lonely.close()
})

test('only addresses of this machine are listened on', () => {
  assert.deepEqual(parseCatcherAddress('127.0.0.1:2525'), { host: '127.0.0.1', port: 2_525 })
  assert.deepEqual(parseCatcherAddress('localhost:0'), { host: '127.0.0.1', port: 0 })
  assert.deepEqual(parseCatcherAddress(':25'), { host: '127.0.0.1', port: 25 })
  assert.deepEqual(parseCatcherAddress('[::1]:2525'), { host: '::1', port: 2_525 })
  for (const text of ['0.0.0.0:25', '10.0.0.1:25', 'example.com:25', '127.0.0.1', '127.0.0.1:70000', '[::]:25', '']) {
    assert.throws(() => parseCatcherAddress(text), /must be off, or an address of this machine/)
  }
  assert.ok(database.url)
})
