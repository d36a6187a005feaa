import { AsyncLocalStorage } from 'node:async_hooks'
import type { Fields } from './clean-fields.ts'

const storage = new AsyncLocalStorage<Fields>()

/**
 * Puts `fields` (a request's id, a job's) on every line logged while `work` runs and in everything it starts, beside those
 * already set around it. For the log alone: nothing else may read them.
 */
export function withLogFields<T>(fields: Fields, work: () => T): T {
  return storage.run({ ...storage.getStore(), ...fields }, work)
}

export function logFields(): Fields | undefined {
  return storage.getStore()
}
