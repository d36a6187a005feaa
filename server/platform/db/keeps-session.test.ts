import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { createTestDatabase } from '../../../test/support/postgres.ts'
import { keepsSession, type Session } from './keeps-session.ts'

const stay = setInterval(() => undefined, 60_000)
const database = await createTestDatabase().finally(() => clearInterval(stay))
const sessions = await Promise.all(
  Array.from({ length: 4 }, async () => {
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    return client
  }),
)
after(async () => {
  await Promise.all(sessions.map((session) => session.end()))
  await database.drop()
})

/** Connections to a pooler in transaction mode: each transaction has the session that was free last. */
function pooled(): () => Session {
  const free = sessions.slice(0, 3)
  return () => {
    let held: pg.Client | undefined
    return {
      async query(text) {
        const session = held ?? free.pop()!
        const result = await session.query(text)
        held = text === 'begin' || (held && text !== 'commit') ? session : undefined
        if (held === undefined && !free.includes(session)) free.push(session)
        return result
      },
    }
  }
}

test('a connection of its own keeps its session', async () => {
  assert.equal(await keepsSession(sessions[0]!, sessions[1]!), true)
})

test('one to a pooler in transaction mode does not, although both transactions would find the same session alone', async () => {
  const connect = pooled()
  const [one, two] = [connect(), connect()]
  assert.equal(await keepsSession(one, two), false)
})
