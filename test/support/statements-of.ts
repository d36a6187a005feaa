import { AsyncLocalStorage } from 'node:async_hooks'
import pg from 'pg'

/** What a new connection says before anybody uses it. */
const OF_CONNECTIONS = /^set client_/
const watching = new AsyncLocalStorage<string[]>()
const { query } = pg.Client.prototype

pg.Client.prototype.query = function watched(this: pg.Client, ...given: unknown[]) {
  const [config] = given as [string | { name?: string; text: string }]
  const statement = typeof config === 'string' ? config : (config.name ?? config.text)
  if (!OF_CONNECTIONS.test(statement)) watching.getStore()?.push(statement)
  return Reflect.apply(query, this, given)
} as typeof query

/** The statements that an act makes, by their names, else their texts: not those of others in the same process. */
export async function statementsOf(act: () => Promise<unknown>): Promise<string[]> {
  const seen: string[] = []
  await watching.run(seen, act)
  return seen
}
