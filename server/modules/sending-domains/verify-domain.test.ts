import assert from 'node:assert/strict'
import { createPublicKey, createSign, createVerify } from 'node:crypto'
import { after, test } from 'node:test'
import { startDnsAuthority } from '../../../test/support/dns-authority.ts'
import { callerOf, createWorkspace, testWorkspace } from '../../../test/support/workspace.ts'
import { renewSecret, type SecretKeys, secretBox, secretKeys } from '../../platform/crypto/secret-box.ts'
import { ALL_WORKSPACES, inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import { createHostResolver } from '../../platform/net/host-lookup.ts'
import { createTxtResolver } from '../../platform/net/txt-lookup.ts'
import { hashPassword } from '../auth/password-hash.ts'
import { createSystemMailer } from '../system-mail/system-mailer.ts'
import { rotateKey, updateDomain } from './change-key.ts'
import { claimDueDomains, releaseDomain } from './check-queries.ts'
import type { DomainDeps, KeyBox } from './domain-deps.ts'
import { createDomain } from './manage-domains.ts'
import { sendingDomainsModule } from './module.ts'
import { readDomain, readDomainChecks } from './read-domains.ts'
import { recheckDomains } from './recheck-domains.ts'
import type { SendingDomain } from './schemas.ts'
import { signingKeyFor } from './signing-key.ts'
import { verifyDomain } from './verify-domain.ts'

/** For an answer on any machine. */
const PATIENT_MS = 60_000

const { pool, caller, workspaceId } = await testWorkspace()
const authority = await startDnsAuthority()
after(() => authority.close())

const resolveTxt = createTxtResolver({ servers: [authority.server] })
const resolveHosts = createHostResolver({ servers: [authority.server] })
const keyBox = boxOf(keysNamed('first'))
const mailer = createSystemMailer({
  secrets: keyBox,
  sends: false,
  baseUrl: new URL('https://postroom.example'),
})
const checking = { pool, keyBox, resolveTxt, resolveHosts, bounceDomain: null, mailer }
const domains: DomainDeps = { sql: pool, keyBox, enqueueCheck: async () => undefined }

function keysNamed(...ids: string[]): SecretKeys {
  return secretKeys(ids.map((id) => ({ id, key: Buffer.alloc(32, id) })))
}

function boxOf(keys: SecretKeys): KeyBox {
  return { ...secretBox(keys), renew: (sealed, row) => renewSecret(sealed, keys, row) }
}

const create = (domain: string, dkimSelector?: string) =>
  createDomain(domains, caller, { domain, ...(dkimSelector === undefined ? {} : { dkimSelector }) })
const read = (id: string) => readDomain(pool, { workspaceId, id })
const checks = (id: string) => readDomainChecks(pool, { workspaceId, id })
const change = (id: string, dkimSelector: string) =>
  updateDomain(domains, caller, { id, change: { dkimSelector }, ifMatch: undefined })
const publish = ({ host, value }: { host: string; value: string }) => authority.set(host, { txt: [value] })

async function verify(id: string): Promise<SendingDomain> {
  assert.equal(await verifyDomain(checking, { workspaceId, id }), 'done')
  return read(id)
}

function signingKey(domain: string, box: KeyBox = keyBox) {
  return inTransaction(pool, workspaceId, (tx) => signingKeyFor(tx, box, { workspaceId, domain }))
}

async function auditOf(id: string) {
  return queryInScope<{ kind: string; action: string; diff: string }>(pool, workspaceId, {
    text: `select actor_kind as kind, action, diff from audit_entries
      where workspace_id = $1 and target_type = 'sending_domain' and target_id = $2 order by id`,
    values: [workspaceId, id],
  })
}

test('a published key verifies the domain, and signs what the record then proves', async () => {
  const domain = await create('right.example')
  assert.equal(await signingKey('right.example'), undefined)
  publish(domain.dkimRecord)
  const verified = await verify(domain.id)
  assert.equal(verified.verified, true)
  assert.ok(verified.verifiedAt !== null && verified.lastCheckedAt !== null)
  assert.ok(verified.updatedAt > domain.updatedAt)
  const key = await signingKey('right.example')
  assert.equal(key?.selector, 'postroom')
  // As a receiver does: the public key from the record, RSA with SHA-256 over the canonical header.
  const header = 'from:ada@right.example\r\nsubject:hello\r\ndkim-signature:v=1; a=rsa-sha256; d=right.example'
  const signature = createSign('sha256').update(header).sign(key!.privateKey)
  const published = /p=(\S+)/.exec(domain.dkimRecord.value)![1]!
  const publicKey = createPublicKey({ key: Buffer.from(published, 'base64'), format: 'der', type: 'spki' })
  assert.equal(publicKey.asymmetricKeyDetails?.modulusLength, 2_048)
  assert.ok(createVerify('sha256').update(header).verify(publicKey, signature))
  assert.equal(await signingKey('sub.right.example'), undefined, 'the exact domain only')
})

test('what is published wrong or not at all is definite; what gives no answer changes nothing', async () => {
  const { id, dkimRecord } = await create('turns.example')
  const { host, value } = dkimRecord
  const wrong = { txt: [value.replace(/p=.{20}/, `p=${'A'.repeat(20)}`)] }
  const steps: [name: string, records: Parameters<typeof authority.set>[1], verified: boolean, state: string][] = [
    ['missing', { failure: 'NXDOMAIN' }, false, 'missing'],
    ['servfail', { failure: 'SERVFAIL' }, false, 'unknown'],
    ['right', { txt: [value] }, true, 'ok'],
    ['servfail', { failure: 'SERVFAIL' }, true, 'unknown'],
    ['refused', { failure: 'REFUSED' }, true, 'unknown'],
    ['wrong', wrong, false, 'wrong'],
    ['split', { txt: [value.match(/.{1,100}/g)!] }, true, 'ok'],
    ['no such record', { a: ['192.0.2.1'] }, false, 'missing'],
    ['among others', { txt: ['other', value] }, true, 'ok'],
    ['revoked', { txt: ['v=DKIM1; p='] }, false, 'wrong'],
    ['alias', { cname: 'keys.elsewhere.example' }, true, 'ok'],
  ]
  authority.set('keys.elsewhere.example', { txt: [value] })
  let before = await read(id)
  let flips = 0
  for (const [name, records, verified, state] of steps) {
    authority.set(host, records)
    const after = await verify(id)
    assert.equal(after.verified, verified, name)
    assert.equal(after.verifiedAt !== null, verified, name)
    assert.ok(
      Date.parse(after.lastCheckedAt!) > Date.parse(before.lastCheckedAt ?? after.createdAt),
      `${name} was checked`,
    )
    assert.equal((await checks(id)).dkim[0]?.state, state, name)
    const hasFlipped = after.verified !== before.verified
    assert.equal(after.updatedAt !== before.updatedAt, hasFlipped, name)
    if (!hasFlipped) assert.equal(after.verifiedAt, before.verifiedAt)
    flips += hasFlipped ? 1 : 0
    before = after
  }
  const entries = (await auditOf(id)).filter(({ action }) => action === 'sending_domain.update')
  assert.deepEqual([entries.length, new Set(entries.map(({ kind }) => kind))], [flips, new Set(['system'])])
  assert.deepEqual(JSON.parse(entries[0]!.diff), { verified: { from: false, to: true } })
})

test('owners are told once when a domain is verified no longer', async () => {
  const { rows } = await pool.query<{ id: string }>(
    `insert into users (email, name, password_hash) values ('owner@example.com', 'Ada', $1) returning id`,
    [await hashPassword('a long password')],
  )
  await queryInScope(pool, workspaceId, {
    text: `insert into memberships (workspace_id, user_id, role) values ($1, $2, 'owner')`,
    values: [workspaceId, rows[0]!.id],
  })
  const mails = async () => {
    const found = await pool.query<{ recipient: string; subject: string }>(
      `select recipient, subject from system_mails where kind = 'domain_notice'`,
    )
    return found.rows
  }
  const before = (await mails()).length
  const { id, dkimRecord } = await create('told.example')
  await verify(id)
  publish(dkimRecord)
  await verify(id)
  assert.equal((await mails()).length, before, 'a domain that is set up is no news')
  authority.set(dkimRecord.host, {})
  await verify(id)
  await verify(id)
  assert.deepEqual((await mails()).slice(before), [
    { recipient: 'owner@example.com', subject: 'told.example is no longer verified' },
  ])
})

test('a record at a name with the domain twice is missing, and the advice says why', async () => {
  const { id, dkimRecord } = await create('doubled.example')
  authority.set(`${dkimRecord.host}.doubled.example`, { txt: [dkimRecord.value] })
  assert.equal((await verify(id)).verified, false)
  const [{ state, detail } = assert.fail()] = (await checks(id)).dkim
  assert.equal(state, 'missing')
  assert.match(detail, /ends in doubled\.example\.doubled\.example/)
})

test('SPF and DMARC are reported beside DKIM and decide nothing', async () => {
  const domain = await create('beside.example')
  publish(domain.dkimRecord)
  const before = await checks(domain.id)
  for (const { state, detail, checkedAt } of [before.spf, before.dmarc, before.dkim[0]!]) {
    assert.deepEqual([state, detail, checkedAt], ['unknown', 'Not checked yet.', null])
  }
  assert.equal((await verify(domain.id)).verified, true)
  const bare = await checks(domain.id)
  assert.deepEqual([bare.spf.state, bare.dmarc.state], ['missing', 'missing'])
  publish(domain.spfRecord)
  publish(domain.dmarcRecord)
  await verify(domain.id)
  const all = await checks(domain.id)
  assert.deepEqual([all.spf.state, all.dmarc.state], ['ok', 'ok'], JSON.stringify(all))
  assert.deepEqual(all.spf.found, [domain.spfRecord.value])
})

test('a rotation publishes ahead, switches once the next key is found, and leaves no moment without a key', async () => {
  const { id, dkimRecord } = await create('rotates.example', 's1')
  publish(dkimRecord)
  await verify(id)
  const began = await rotateKey(domains, caller, id)
  assert.deepEqual(await rotateKey(domains, caller, id), began, 'asked again, it goes on as it is')
  assert.deepEqual(
    began.dkim.map(({ role, selector, signing }) => [role, selector, signing]),
    [
      ['current', 's1', true],
      ['next', 's2', false],
    ],
  )
  const unpublished = await verify(id)
  assert.deepEqual([unpublished.dkimSelector, unpublished.verified], ['s1', true])
  assert.equal((await signingKey('rotates.example'))?.selector, 's1')
  publish(began.dkim[1]!.record)
  const switched = await verify(id)
  assert.deepEqual([switched.dkimSelector, switched.verified], ['s2', true])
  assert.equal(switched.dkimRecord.host, 's2._domainkey.rotates.example')
  assert.equal((await signingKey('rotates.example'))?.selector, 's2')
  const [, old] = (await checks(id)).dkim
  assert.deepEqual([old?.role, old?.selector, old?.state], ['retiring', 's1', 'ok'])
  const days = (Date.parse(old!.retiresAt!) - Date.now()) / 86_400_000
  assert.ok(days > 6.9 && days <= 7)
  // The new record is lost: as long as the old one is there, it signs.
  authority.set(switched.dkimRecord.host, {})
  assert.equal((await verify(id)).verified, false)
  assert.equal((await signingKey('rotates.example'))?.selector, 's1')
  publish(switched.dkimRecord)
  await verify(id)
  await queryInScope(pool, workspaceId, {
    text: `update sending_domain_keys set retires_at = now() where selector = 's1' and domain_id = $1`,
    values: [id],
  })
  await verify(id)
  assert.deepEqual(
    (await checks(id)).dkim.map(({ selector }) => selector),
    ['s2'],
  )
  const diffs = (await auditOf(id)).map(({ kind, action, diff }) => [kind, action, Object.keys(JSON.parse(diff))])
  assert.deepEqual(diffs, [
    ['api_token', 'sending_domain.create', ['domain', 'dkimSelector']],
    ['system', 'sending_domain.update', ['verified']],
    ['api_token', 'sending_domain.rotate_key', ['dkimKey', 'nextSelector']],
    ['system', 'sending_domain.update', ['dkimSelector']],
    ['system', 'sending_domain.update', ['verified']],
    ['system', 'sending_domain.update', ['verified']],
    ['system', 'sending_domain.update', ['retiredSelectors']],
  ])
})

test('another selector shows its record at once, and the key before signs until it is found', async () => {
  const { id, dkimRecord } = await create('moves.example')
  publish(dkimRecord)
  await verify(id)
  await rotateKey(domains, caller, id)
  const moved = await change(id, 'Moved.S1')
  assert.deepEqual(
    [moved.dkimSelector, moved.verified, moved.lastCheckedAt, moved.dkimRecord.host],
    ['moved.s1', false, null, 'moved.s1._domainkey.moves.example'],
  )
  assert.notEqual(moved.dkimRecord.value, dkimRecord.value)
  const shown = async () => (await checks(id)).dkim.map(({ role, selector, signing }) => [role, selector, signing])
  const waiting = [
    ['current', 'moved.s1', false],
    ['retiring', 'postroom', true],
  ]
  assert.deepEqual(await shown(), waiting, 'the rotation under way has ended')
  await verify(id)
  assert.deepEqual(await shown(), waiting)
  await change(id, 'third')
  assert.deepEqual(await shown(), [
    ['current', 'third', false],
    ['retiring', 'postroom', true],
  ])
  const back = await change(id, 'postroom')
  assert.deepEqual([back.verified, back.dkimRecord.value], [true, dkimRecord.value])
  assert.deepEqual(await shown(), [['current', 'postroom', true]])
  const last = await change(id, 'last')
  publish(last.dkimRecord)
  await verify(id)
  assert.deepEqual(await shown(), [
    ['current', 'last', true],
    ['retiring', 'postroom', false],
  ])
})

test('an answer that comes after the key was replaced does not verify the new one', async () => {
  const { id, dkimRecord } = await create('raced.example')
  const [asked, replaced] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  publish(dkimRecord)
  const late = (deadlineMs: number) => {
    const lookup = resolveTxt(deadlineMs)
    return async (name: string) => {
      const answer = await lookup(name)
      if (name !== dkimRecord.host) return answer
      asked.resolve()
      await replaced.promise
      return answer
    }
  }
  const checked = verifyDomain({ ...checking, resolveTxt: late }, { workspaceId, id })
  await asked.promise
  await change(id, 'other')
  replaced.resolve()
  await checked
  const { dkimSelector, verified, lastCheckedAt } = await read(id)
  assert.deepEqual([dkimSelector, verified, lastCheckedAt], ['other', false, null])
})

test('one check of a domain runs at a time', async () => {
  const { id, dkimRecord } = await create('once.example')
  const others = 9
  const othersEnded = Promise.withResolvers<void>()
  let [running, most, ended] = [0, 0, 0]
  const counting = (deadlineMs: number) => {
    const lookup = resolveTxt(deadlineMs)
    return async (name: string) => {
      if (name !== dkimRecord.host) return lookup(name)
      running += 1
      most = Math.max(most, running)
      if (running > 1) othersEnded.resolve()
      const answer = await lookup(name)
      // The one that runs does so until all others have come and gone.
      await othersEnded.promise
      running -= 1
      return answer
    }
  }
  publish(dkimRecord)
  const ends = await Promise.all(
    Array.from({ length: others + 1 }, async () => {
      const end = await verifyDomain({ ...checking, resolveTxt: counting }, { workspaceId, id })
      ended += 1
      if (ended === others) othersEnded.resolve()
      return end
    }),
  )
  assert.deepEqual([ends.filter((end) => end === 'done').length, most], [1, 1])
  assert.equal((await verify(id)).verified, true, 'the claim has ended')
})

test('a check that breaks gives its claim back', async () => {
  const { id } = await create('breaks.example')
  const broken = () => () => Promise.reject(new Error('broken resolver'))
  await assert.rejects(verifyDomain({ ...checking, resolveTxt: broken }, { workspaceId, id }), /broken resolver/)
  assert.equal(await verifyDomain(checking, { workspaceId, id }), 'done')
  assert.equal(await verifyDomain(checking, { workspaceId, id: '900000000' }), 'done', 'one that is gone is done')
})

test('the schedule takes what is due of every workspace, longest ago first, and a dead zone holds nobody up', async () => {
  const neighbour = callerOf(await createWorkspace(pool))
  const due = await Promise.all(
    Array.from({ length: 30 }, (_, index) => createDomain(domains, neighbour, { domain: `due${index}.example` })),
  )
  for (const { dkimRecord } of due) publish(dkimRecord)
  const dead = due.slice(0, 3)
  await queryInScope(pool, ALL_WORKSPACES, {
    text: "update sending_domains set next_check_at = now() + interval '1 hour'",
  })
  await queryInScope(pool, neighbour.workspaceId, {
    text: `update sending_domains set next_check_at = now() - make_interval(secs => id::int) where workspace_id = $1`,
    values: [neighbour.workspaceId],
  })
  const first = await inTransaction(pool, ALL_WORKSPACES, (tx) => claimDueDomains(tx, 3))
  const ids = due.map(({ id }) => id).sort((one, other) => Number(other) - Number(one))
  assert.deepEqual(first.map(({ id }) => id).sort(), ids.slice(0, 3).sort(), 'longest ago first')
  assert.equal(first.length, 3)
  for (const key of first) await inTransaction(pool, neighbour.workspaceId, (tx) => releaseDomain(tx, key))
  const hosts = (of: typeof due) => new Set(of.map(({ dkimRecord }) => dkimRecord.host))
  const [silent, others] = [hosts(dead), hosts(due.slice(dead.length))]
  const othersAnswered = Promise.withResolvers<void>()
  // The dead keep silent until all others have answered: whoever waits for them waits for ever.
  const lookUp = () => {
    const lookup = resolveTxt(performance.now() + PATIENT_MS)
    return async (name: string) => {
      if (silent.has(name)) {
        await othersAnswered.promise
        return { outcome: 'failed', detail: `${name} did not answer in time` } as const
      }
      const answer = await lookup(name)
      others.delete(name)
      if (others.size === 0) othersAnswered.resolve()
      return answer
    }
  }
  assert.equal(await recheckDomains({ ...checking, resolveTxt: lookUp }, new AbortController().signal), 30)
  const states = await Promise.all(due.map(({ id }) => readDomain(pool, { workspaceId: neighbour.workspaceId, id })))
  assert.deepEqual(
    states.map(({ verified }) => verified),
    due.map((domain) => !dead.includes(domain)),
  )
  assert.equal(await recheckDomains(checking, new AbortController().signal), 0, 'each is due again only later')
})

test('rounds follow each other at once until nothing is due', async () => {
  const many = await createWorkspace(pool)
  await queryInScope(pool, many, {
    text: `with d as (
        insert into sending_domains (workspace_id, domain, next_check_at)
        select $1, 'many' || n || '.example', now() from generate_series(1, 101) n returning workspace_id, id
      )
      insert into sending_domain_keys (workspace_id, domain_id, role, selector, public_key, private_key)
      select workspace_id, id, 'current', 'postroom', 'x', 'x' from d`,
    values: [many],
  })
  const nothing = { ...keyBox, renew: () => undefined }
  const none = async () => ({ outcome: 'none' }) as const
  const hosts = { addresses: none, exchanges: none }
  const lookups = { resolveTxt: () => none, resolveHosts: () => hosts, bounceDomain: null }
  const module = sendingDomainsModule({ sql: pool, pool, keyBox: nothing, ...lookups, mailer })
  const recheck = module.jobs?.find(({ kind }) => kind === 'recheck_domains')
  const context = { signal: new AbortController().signal, stopping: new AbortController().signal }
  const job = { id: '1', queue: 'default', kind: 'recheck_domains', payload: {}, attempt: 1, priority: 0 }
  const outcomes = []
  for (let round = 0; round < 2; round += 1) {
    outcomes.push(await recheck!.run({ ...job, groupKey: null, singletonKey: null }, context))
  }
  assert.deepEqual(outcomes, [{ outcome: 'more' }, { outcome: 'ok' }])
})

test('after a rotation of ENCRYPTION_KEY keys open, and the next check seals them anew', async () => {
  const { id, dkimRecord } = await create('sealed.example')
  publish(dkimRecord)
  await verify(id)
  const rotated = boxOf(keysNamed('second', 'first'))
  assert.ok(await signingKey('sealed.example', rotated))
  await verifyDomain({ ...checking, keyBox: rotated }, { workspaceId, id })
  const [row] = await queryInScope<{ box: string }>(pool, workspaceId, {
    text: 'select private_key as box from sending_domain_keys where domain_id = $1',
    values: [id],
  })
  assert.match(row!.box, /^second\./)
  assert.ok(await signingKey('sealed.example', boxOf(keysNamed('second'))), 'the old key may be taken away')
})

test('a record with bytes that the database does not take is shown without them', async () => {
  const { id, dmarcRecord } = await create('odd-bytes.example')
  authority.set(dmarcRecord.host, { txt: ['v=DMARC1; p=none\0'] })
  await verify(id)
  assert.deepEqual((await checks(id)).dmarc.found, ['v=DMARC1; p=none\ufffd'])
})

test('the server that mail is handed to is judged by the domain of return paths, which is checked as well', async () => {
  const relayed = callerOf(await createWorkspace(pool))
  const { workspaceId: own } = relayed
  await queryInScope(pool, own, {
    text: `insert into integrations (workspace_id, name, channel, provider, enabled, is_default, from_email, host, port, tls)
      values ($1, 'relay', 'email', 'smtp', true, true, 'a@relayed.example', 'relay.example', 587, 'starttls')`,
    values: [own],
  })
  const { id } = await createDomain(domains, relayed, { domain: 'relayed.example' })
  const found = async (bounceDomain: string | null) => {
    await verifyDomain({ ...checking, bounceDomain }, { workspaceId: own, id })
    const { relay, returnPath } = await readDomainChecks(pool, { workspaceId: own, id })
    return { relay, returnPath }
  }
  const { relay: gone } = await found(null)
  assert.deepEqual([gone?.state, gone?.detail], ['unknown', 'relay.example has no address.'])
  authority.set('relay.example', { a: ['1.2.3.4'], aaaa: ['2606:4700::1'] })
  authority.set('relayed.example', { txt: ['v=spf1 ip4:1.2.3.0/24 ~all'] })
  const { relay: half, returnPath: none } = await found(null)
  assert.deepEqual(
    [half?.state, half?.domain, half?.found, none],
    ['wrong', 'relayed.example', ['1.2.3.4', '2606:4700::1'], null],
  )
  assert.match(half!.detail, /does not allow relay\.example \(2606:4700::1\)/)
  authority.set('relayed.example', { txt: ['v=spf1 a:relay.example ~all'] })
  assert.equal((await found(null)).relay?.state, 'ok')
  const bare = await found('bounces.example')
  assert.deepEqual([bare.relay?.state, bare.relay?.domain], ['missing', 'bounces.example'])
  assert.deepEqual([bare.returnPath?.mx.state, bare.returnPath?.spf.state], ['missing', 'missing'])
  authority.set('bounces.example', { mx: ['in.example', 'gone.example'], txt: ['v=spf1 a:relay.example -all'] })
  authority.set('in.example', { a: ['1.2.3.5'] })
  const half2 = await found('bounces.example')
  assert.deepEqual([half2.relay?.state, half2.returnPath?.mx.state], ['ok', 'wrong'])
  assert.match(half2.returnPath!.mx.detail, /no address: gone\.example/)
  authority.set('gone.example', { aaaa: ['2606:4700::2'] })
  const whole = await found('bounces.example')
  assert.deepEqual([whole.returnPath?.mx.state, whole.returnPath?.mx.found], ['ok', ['in.example', 'gone.example']])
  assert.equal(whole.returnPath?.spf.state, 'ok')
  // A server in a private network sends from an address that is not known here.
  authority.set('relay.example', { a: ['10.0.0.1'] })
  assert.equal((await found(null)).relay, null)
})
