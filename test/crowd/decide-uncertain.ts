import type { Doer } from './doer.ts'

type Broadcast = { id: string; counts: { uncertainCount: number } }

/**
 * Decides on all mail that nobody saw taken, by two people at once on each, who may not agree. False where there
 * was none.
 */
export async function decideUncertain(who: Doer): Promise<boolean> {
  const { json: broadcasts } = await who.call('GET', '/broadcasts?pageSize=1000')
  const { json: emails } = await who.call('GET', '/emails?status=uncertain&limit=100')
  const open = (broadcasts.items as Broadcast[]).filter(({ counts }) => counts.uncertainCount > 0)
  const paths = [
    ...open.map(({ id }) => `/broadcasts/${id}/resolve-uncertain`),
    ...(emails.items as { id: string }[]).map(({ id }) => `/emails/${id}/resolve`),
  ]
  const decide = (path: string) => who.call('POST', path, { as: who.pick(['sent', 'retry', 'retry']) })
  await Promise.all(paths.flatMap((path) => [decide(path), decide(path)]))
  return paths.length > 0
}
