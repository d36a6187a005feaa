import { type MovedPage, MovingError, NOTHING, type ReadPage } from './moved.ts'

/** Pages of one kind of thing; '' is where the first begins. */
export type Part = (place: string) => Promise<{ found: Partial<MovedPage>; next: string | null }>

/** Reads one part after the other. A place names the part, so that anybody may go on from it. */
export function inParts(parts: Readonly<Record<string, Part>>): ReadPage {
  const names = Object.keys(parts)
  return async (place) => {
    const [name, at] = place === null ? [names[0]!, ''] : splitAt(place, place.indexOf(' '))
    const { found, next } = await parts[name]!(at)
    const following = names[names.indexOf(name) + 1]
    const to = next !== null ? `${name} ${next}` : following === undefined ? null : `${following} `
    return { page: { ...NOTHING, ...found }, next: to }
  }
}

const splitAt = (text: string, index: number): [string, string] => [text.slice(0, index), text.slice(index + 1)]

/** Everything a service has, page by page. */
export async function* pagesOf(read: ReadPage): AsyncGenerator<MovedPage> {
  let place: string | null = null
  do {
    const { page, next } = await read(place)
    yield page
    place = next
  } while (place !== null)
}

type Numbered<T> = {
  /** In sentences. */
  what: string
  /** The page of a number, 1 is the first. */
  ask: (page: number) => Promise<{ items: readonly T[]; total: number }>
  take: (items: readonly T[]) => Partial<MovedPage> | Promise<Partial<MovedPage>>
}
type At = { page: number; seen: number; total: number; last: number }

const BEGINNING: At = { page: 1, seen: 0, total: 0, last: 0 }

/**
 * Pages by their numbers. Where there are fewer things than before, some may have moved to the page before, which is then read
 * once more: what comes twice is known again, what is passed over is lost.
 */
export function numbered<T>({ what, ask, take }: Numbered<T>): Part {
  return async (place) => {
    const at = place === '' ? BEGINNING : (JSON.parse(place) as At)
    const { items, total } = await ask(at.page)
    if (total < at.total && at.page > 1) {
      const back: At = { page: at.page - 1, seen: Math.max(0, at.seen - at.last), total, last: 0 }
      return { found: {}, next: JSON.stringify(back) }
    }
    const seen = at.seen + items.length
    if (items.length === 0 && seen < total) {
      throw new MovingError(
        `there are ${total} ${what} and ${seen} were shown: they were changed while they were read, so begin again`,
      )
    }
    const next: At = { page: at.page + 1, seen, total, last: items.length }
    return { found: await take(items), next: seen >= total ? null : JSON.stringify(next) }
  }
}

/** The same for each of several things, such as the people of each list. */
export function forEach<T>(things: () => Promise<readonly T[]>, part: (thing: T) => Part): Part {
  return async (place) => {
    const [number, at] = place === '' ? ['0', ''] : splitAt(place, place.indexOf(' '))
    const all = await things()
    const thing = all[Number(number)]
    if (thing === undefined) return { found: {}, next: null }
    const { found, next } = await part(thing)(at)
    const following = Number(number) + 1
    const to = next !== null ? `${number} ${next}` : following < all.length ? `${following} ` : null
    return { found, next: to }
  }
}
