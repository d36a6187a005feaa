import { say } from './settings.ts'
import { namesOf, OURS, read, remove, write } from './storage.ts'
import { randomId } from './visitor.ts'

/*
 * What is on its way to the server, in the order in which it happened: each item under a name of its own, which tells its
 * time and where it goes. Tabs share it. An item is stored before it is sent and removed when it is answered for.
 */

/** Where an item goes, below the intake's address. */
export type Kind = 'events' | 'identify' | 'consent' | 'forget'

const PREFIX = `${OURS}q.`
const ITEMS_MAX = 200
const CHARS_MAX = 131_072
const ITEM_BYTES_MAX = 32_768
/** Less than the 64 KiB that browsers let requests have which outlive their page. */
const BATCH_BYTES_MAX = 61_440
const AGE_MS_MAX = 604_800_000
/** Longer than the digits of any moment of now, so that names sort as their moments do. */
const TIME_CHARS = 9

let last = 0
/** Items that this page has sent and that are not answered for yet. */
export const flying = new Set<string>()

const bytesOf = (text: string): number => new Blob([text]).size
export const kindOf = (name: string): Kind => name.split('.')[2] as Kind

/** Adds an item; one that must not be stored is kept in memory. The oldest give way to it. */
export function put(kind: Kind, text: string, mayStore = true): void {
  if (bytesOf(text) > ITEM_BYTES_MAX) {
    say('too large', text)
    return
  }
  last = Math.max(Date.now(), last + 1)
  const name = `${PREFIX + last.toString(36).padStart(TIME_CHARS, '0')}-${randomId()}.${kind}`
  write(name, text, mayStore)
  const names = queued()
  let chars = names.reduce((sum, each) => sum + read(each).length, 0)
  for (let over = names.length - ITEMS_MAX; over > 0 || chars > CHARS_MAX; over -= 1) {
    const oldest = names.shift()!
    chars -= read(oldest).length
    remove(oldest)
  }
}

/** Names of all items, the oldest first, without those that were never taken in a week. */
export const queued = (): string[] =>
  namesOf(PREFIX).filter((name) => {
    const isOld = Number.parseInt(name.slice(PREFIX.length), 36) < Date.now() - AGE_MS_MAX
    if (isOld) remove(name)
    return !isOld
  })

/** What goes next, in one request: up to so many events, or one item of another kind. Nothing overtakes an identity. */
export function nextBatch(itemsMax: number): string[] {
  const batch: string[] = []
  let bytes = 0
  for (const name of queued()) {
    const kind = kindOf(name)
    const isEvent = kind === 'events'
    if (flying.has(name)) {
      if (kind === 'identify') break
      continue
    }
    bytes += bytesOf(read(name))
    if (batch[0] && (!isEvent || batch.length >= itemsMax || bytes > BATCH_BYTES_MAX)) break
    batch.push(name)
    if (!isEvent) break
  }
  return batch
}
