import assert from 'node:assert/strict'
import { mock, type TestContext, test } from 'node:test'
import { createTokenCache, type TokenFacts } from './token-cache.ts'
import { makeToken } from './token-format.ts'

const facts: TokenFacts = {
  workspaceId: '1',
  actor: { kind: 'api_token', id: '1', name: 'a' },
  scopes: new Set(['contacts:read']),
  expiresAtMs: Number.POSITIVE_INFINITY,
  ofAgent: false,
}

/** A cache on a clock of its own, with a database that answers when told to. */
function makeCache(t: TestContext) {
  let now = 1_000
  mock.method(performance, 'now', () => now)
  t.after(() => mock.restoreAll())
  const asked: PromiseWithResolvers<TokenFacts | undefined>[] = []
  const cache = createTokenCache(() => {
    const question = Promise.withResolvers<TokenFacts | undefined>()
    asked.push(question)
    return question.promise
  })
  const pass = (ms: number) => {
    now += ms
  }
  return { cache, asked, pass }
}

test('look-ups of one token at the same time share one question, and later ones need none', async (t) => {
  const { cache, asked } = makeCache(t)
  const { token } = makeToken()
  const both = [cache.lookUp(token), cache.lookUp(token)]
  assert.equal(asked.length, 1)
  asked[0]?.resolve(facts)
  assert.deepEqual(await Promise.all(both), [facts, facts])
  assert.equal(cache.lookUp(token), facts)
  assert.equal(asked.length, 1)
})

test('an answer is used for less than a second from when it was asked for, and renewed in the background before', async (t) => {
  const { cache, asked, pass } = makeCache(t)
  const { token } = makeToken()
  const first = cache.lookUp(token)
  pass(300)
  asked[0]?.resolve(facts)
  await first
  pass(200)
  assert.equal(cache.lookUp(token), facts)
  assert.equal(cache.lookUp(token), facts)
  assert.equal(asked.length, 2, 'one renewal')
  pass(399)
  assert.equal(cache.lookUp(token), facts)
  pass(1)
  const late = cache.lookUp(token)
  assert.ok(late instanceof Promise)
  asked[1]?.resolve(undefined)
  assert.equal(await late, undefined)
  assert.equal(cache.lookUp(token), undefined, 'revoked is remembered too')
})

test('a question that has been open for too long is not joined: its answer may be older than a revocation', async (t) => {
  const { cache, asked, pass } = makeCache(t)
  const { token } = makeToken()
  const early = cache.lookUp(token)
  pass(900)
  const late = cache.lookUp(token)
  assert.equal(asked.length, 2)
  asked[1]?.resolve(undefined)
  asked[0]?.resolve(facts)
  assert.equal(await early, facts)
  assert.equal(await late, undefined)
})

test('what is forgotten is asked for anew, and an answer from before is no longer used', async (t) => {
  const { cache, asked } = makeCache(t)
  const { token } = makeToken()
  const early = cache.lookUp(token)
  cache.forget()
  asked[0]?.resolve(facts)
  assert.equal(await early, facts)
  const late = cache.lookUp(token)
  assert.ok(late instanceof Promise)
  asked[1]?.resolve(undefined)
  assert.equal(await late, undefined)
  cache.forget()
  assert.ok(cache.lookUp(token) instanceof Promise)
  assert.equal(asked.length, 3)
})

test('of the others nothing is forgotten when one is revoked', async (t) => {
  const { cache, asked } = makeCache(t)
  const [revoked, other] = [makeToken(), makeToken()]
  const factsOf = (id: string): TokenFacts => ({ ...facts, actor: { ...facts.actor, id } })
  const both = [cache.lookUp(revoked.token), cache.lookUp(other.token)]
  asked[0]?.resolve(factsOf('7'))
  asked[1]?.resolve(factsOf('8'))
  await Promise.all(both)
  cache.forget('7')
  assert.deepEqual(cache.lookUp(other.token), factsOf('8'))
  const late = cache.lookUp(revoked.token)
  assert.equal(asked.length, 3)
  asked[2]?.resolve(undefined)
  assert.equal(await late, undefined)
})

test('an answer that is on its way serves no later look-up of the one that was revoked, and all of others', async (t) => {
  const { cache, asked } = makeCache(t)
  const [revoked, other] = [makeToken(), makeToken()]
  const early = [cache.lookUp(revoked.token), cache.lookUp(other.token)]
  cache.forget('1')
  const late = [cache.lookUp(revoked.token), cache.lookUp(other.token)]
  const others = { ...facts, actor: { ...facts.actor, id: '2' } }
  asked[0]?.resolve(facts)
  asked[1]?.resolve(others)
  assert.deepEqual(await Promise.all([...early, late[1]]), [facts, others, others])
  assert.equal(asked.length, 3, 'only the revoked one is asked for again')
  asked[2]?.resolve(undefined)
  assert.equal(await late[0], undefined)
  assert.equal(cache.lookUp(revoked.token), undefined)
  assert.equal(cache.lookUp(other.token), others)
  assert.equal(asked.length, 3)
})

test('a failure reaches every look-up that waited for it, and is not remembered', async (t) => {
  const { cache, asked } = makeCache(t)
  const { token } = makeToken()
  const both = [cache.lookUp(token), cache.lookUp(token)]
  asked[0]?.reject(new Error('away'))
  for (const lookUp of both) await assert.rejects(Promise.resolve(lookUp), /away/)
  void Promise.resolve(cache.lookUp(token)).catch(() => undefined)
  assert.equal(asked.length, 2)
})

test('a token that expires while it is remembered is no longer valid', async (t) => {
  const { cache, asked } = makeCache(t)
  const { token } = makeToken()
  const lookUp = cache.lookUp(token)
  asked[0]?.resolve({ ...facts, expiresAtMs: Date.now() - 1 })
  assert.equal(await lookUp, undefined)
  assert.equal(cache.lookUp(token), undefined)
})

test('a token of an agent opens the door of agents alone', async (t) => {
  const { cache, asked } = makeCache(t)
  const { token } = makeToken()
  const lookUp = cache.lookUp(token)
  const ofAgent = { ...facts, ofAgent: true }
  asked[0]?.resolve(ofAgent)
  assert.equal(await lookUp, undefined)
  assert.equal(cache.lookUp(token, 'agents'), ofAgent)
  assert.equal(cache.lookUp(token, 'api'), undefined)
  assert.equal(asked.length, 1)
})

test('what cannot be a token is never asked about', (t) => {
  const { cache, asked } = makeCache(t)
  const { token } = makeToken()
  const flipped = `${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`
  for (const text of ['', 'short', flipped, 'x'.repeat(513)]) assert.equal(cache.lookUp(text), undefined)
  assert.equal(asked.length, 0)
})
