import type { Instance } from '../test/support/instance.ts'

export type Scrape = {
  /** Of the group that is furthest behind. */
  lagSeconds: number
  /** Messages handled so far, by handler. */
  handled: ReadonlyMap<string, number>
}

const LAG = /^outbox_lag_seconds\{.*\} (\S+)/gm
const HANDLED = /^watermill_messages_processed_total\{(.*)\} (\S+)/gm

/** Figures of the service about its consumer groups, read as its operator would. */
export async function scrapeGroups(instance: Instance): Promise<Scrape> {
  const text = await instance.metrics()
  const lags = Array.from(text.matchAll(LAG), ([, seconds]) => Number(seconds))
  const handled = new Map<string, number>()
  for (const [, labels = '', count] of text.matchAll(HANDLED)) {
    const [, handler] = /\bhandler="(\w+)"/.exec(labels) ?? []
    if (handler !== undefined && !labels.includes('error="true"')) handled.set(handler, Number(count))
  }
  if (lags.length === 0) throw new Error('the instance does not say how far its groups are')
  return { lagSeconds: Math.max(...lags), handled }
}
