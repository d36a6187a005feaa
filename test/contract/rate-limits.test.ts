import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { type Answer, send } from '../support/http-client.ts'
import { inOneMinute } from '../support/in-one-minute.ts'
import { type Instance, startInstance } from '../support/instance.ts'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'

const LIMITS = { RATE_LIMIT_API: '40', RATE_LIMIT_SITE: '10', RATE_LIMIT_FAILURES: '15' }
const ENCRYPTION_KEY = randomBytes(32).toString('base64')

let instance: TestedInstance
let other: Instance
let cookie: string

before(async () => {
  instance = await startTestedInstance({ ENCRYPTION_KEY, ...LIMITS })
  const { database, token } = instance
  other = await startInstance({
    env: { DATABASE_URL: database.url, ENCRYPTION_KEY, BOOTSTRAP_TOKEN: token, ...LIMITS },
  })
  const { email, password } = instance
  const login = await send('POST', `${instance.baseUrl}/site/auth/login`, { json: { email, password } })
  cookie = String(login.headers['set-cookie']).split(';')[0]!
})
after(async () => {
  await other.stop()
  await instance.close()
})

/** Limits are of a minute of the clock. */
const testInOneMinute = (name: string, work: () => Promise<void>) => test(name, () => inOneMinute(work))

const me = (token: string, at: Instance = instance) => send('GET', `${at.baseUrl}/api/auth/me`, { token })
const session = () => send('GET', `${instance.baseUrl}/site/auth/session`, { headers: { cookie } })
const numbers = ({ headers }: Answer) =>
  ['limit', 'remaining', 'reset'].map((name) => Number(headers[`ratelimit-${name}`]))

testInOneMinute(
  'a token is let through exactly as often as its limit says, and every answer tells what is left',
  async () => {
    const token = await instance.makeToken(['contacts:read'])
    for (let left = 39; left >= 0; left--) {
      const answer = await me(token)
      assert.equal(answer.status, 200)
      const [limit, remaining, reset] = numbers(answer)
      assert.deepEqual([limit, remaining], [40, left])
      assert.ok(reset! >= 1 && reset! <= 60)
      assert.equal(answer.headers['ratelimit-policy'], '40;w=60')
    }
    const refused = await me(token)
    assert.equal(refused.status, 429)
    assert.equal(refused.json.code, 'too-many-requests')
    assert.equal(refused.headers['retry-after'], refused.headers['ratelimit-reset'])
    assert.deepEqual(numbers(refused).slice(0, 2), [40, 0])
    const body = await send('POST', `${instance.baseUrl}/contacts`, { token, body: '{', headers: {} })
    assert.equal(body.status, 429, 'before the body is looked at, on the alias too')
    assert.equal((await me(await instance.makeToken())).status, 200, 'another token has a minute of its own')
  },
)

testInOneMinute('answers of refused requests tell what is left as well', async () => {
  const token = await instance.makeToken(['contacts:read'])
  const statuses = []
  for (const [method, path, json] of [
    ['GET', '/api/audit-entries', undefined],
    ['GET', '/api/contacts?page=0', undefined],
    ['GET', '/api/contacts/900000000', undefined],
  ] as const) {
    const answer = await send(method, instance.baseUrl + path, { token, json })
    statuses.push(answer.status)
    assert.equal(numbers(answer)[1], 40 - statuses.length)
  }
  assert.deepEqual(statuses, [403, 400, 404])
})

testInOneMinute('two processes that told each other let through no more than the limit', async () => {
  const token = await instance.makeToken()
  const { id } = (await me(token)).json
  const told = (used: number) =>
    eventually(`${used} uses are told`, async () => {
      const [row] = await instance.sql('select used from rate_counts where subject = $1', [`token:1:${id}`])
      return Number(row?.used) === used
    })
  for (let n = 1; n < 25; n++) assert.equal((await me(token)).status, 200)
  await told(25)
  assert.equal((await me(token, other)).status, 200)
  await told(26)
  await eventually('the other process knows', async () => numbers(await me(token, other))[1]! < 39 - 25)
  await eventually('the other process lets nothing more through', async () => (await me(token, other)).status === 429)
  await told(40)
  assert.equal((await me(token)).status, 200, 'what it has not been told, it does not know')
  await told(41)
  assert.equal((await me(token)).status, 429)
})

testInOneMinute('a login in the dashboard has a limit of its own', async () => {
  const first = await session()
  assert.equal(first.status, 200)
  const [limit, remaining] = numbers(first)
  assert.equal(limit, 10)
  for (let left = remaining! - 1; left >= 0; left--) assert.equal(numbers(await session())[1], left)
  const refused = await session()
  assert.equal(refused.status, 429)
  assert.ok(Number(refused.headers['retry-after']) >= 1)
})

testInOneMinute('an address that keeps failing is told to wait, and valid tokens from it pass', async () => {
  const statuses: number[] = []
  for (let n = 0; n < 20; n++) {
    const call = n % 2 ? {} : { token: 'x'.repeat(64) }
    statuses.push((await send('GET', `${instance.baseUrl}/api/contacts`, call)).status)
  }
  assert.deepEqual(statuses.slice(0, 15), Array(15).fill(401))
  assert.deepEqual(statuses.slice(15), Array(5).fill(429))
  assert.equal((await me(await instance.makeToken())).status, 200)
  const dump = JSON.stringify(await instance.sql('select subject from rate_counts'))
  assert.ok(!dump.includes('127.0.0.1'))
})
