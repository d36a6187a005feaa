import assert from 'node:assert/strict'
import test from 'node:test'
import { Problem } from '../../platform/problem.ts'
import { hashPassword, isOutdatedHash, verifyPassword } from './password-hash.ts'

test('whoever has no account is told no, although the first of them came when nobody more could wait', async () => {
  const storm = Array.from({ length: 18 }, () => hashPassword('x'))
  await assert.rejects(
    verifyPassword('anything', undefined),
    (error) => error instanceof Problem && error.code === 'overloaded',
  )
  await Promise.all(storm)
  assert.equal(await verifyPassword('anything', undefined), false)
})

test('a password fits its own hash only, and no two hashes are alike', async () => {
  const phc = await hashPassword('correct horse')
  assert.match(phc, /^\$argon2id\$v=19\$m=32768,t=3,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
  assert.notEqual(await hashPassword('correct horse'), phc)
  assert.ok(await verifyPassword('correct horse', phc))
  assert.ok(!(await verifyPassword('correct horsE', phc)))
  assert.ok(!isOutdatedHash(phc))
})

test('the same text in another Unicode form is the same password', async () => {
  assert.ok(await verifyPassword('Cafe\u0301', await hashPassword('Caf\u00e9')))
})

test('a hash of other settings is read with them, and is due to be renewed', async () => {
  // From the test vectors of the reference implementation (phc-winner-argon2, test.c).
  const phc = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'
  assert.ok(await verifyPassword('password', phc))
  assert.ok(isOutdatedHash(phc))
})

test('for an account that does not exist the answer is no, after as much work', async () => {
  assert.equal(await verifyPassword('anything', undefined), false)
})

test('more logins at once than can wait are told to come back', async () => {
  const phc = await hashPassword('x')
  const results = await Promise.allSettled(Array.from({ length: 30 }, () => verifyPassword('x', phc)))
  const refused = results.filter((result) => result.status === 'rejected').map(({ reason }) => reason)
  assert.equal(refused.length, 12)
  for (const reason of refused) assert.ok(reason instanceof Problem && reason.code === 'overloaded')
  assert.ok(await verifyPassword('x', phc))
})
