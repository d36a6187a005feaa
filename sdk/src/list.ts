/** One page, or one stretch of a list by cursor. */
export type Part<Item = unknown> = { items: Item[]; page?: number; totalPages?: number; nextCursor?: string }
export type PlaceInList = { page?: number; pageSize?: number } | { cursor?: string; limit?: number }

/** Items asked for at once when everything is read and the caller names no number. */
const ITEMS_EACH = 100

/**
 * A list. Awaited, it is the part of it that the query names; in `for await`, every item from there to the end, read part by part.
 * Nothing is asked for before either.
 */
export class List<Of extends Part> implements PromiseLike<Of>, AsyncIterable<Of['items'][number]> {
  readonly #read: (place: Record<string, unknown>) => Promise<Of>
  readonly #kind: 'page' | 'cursor'
  #first: Promise<Of> | undefined

  constructor(kind: 'page' | 'cursor', read: (place: Record<string, unknown>) => Promise<Of>) {
    this.#kind = kind
    this.#read = read
  }

  // biome-ignore lint/suspicious/noThenProperty: awaiting it is what it is for
  then<Then = Of, Else = never>(
    onDone?: ((part: Of) => Then | PromiseLike<Then>) | null,
    onFault?: ((reason: unknown) => Else | PromiseLike<Else>) | null,
  ): Promise<Then | Else> {
    this.#first ??= this.#read({})
    return this.#first.then(onDone, onFault)
  }

  /** Part by part, to the end. */
  async *parts(): AsyncGenerator<Of, void, undefined> {
    const size = this.#kind === 'page' ? 'pageSize' : 'limit'
    let place: Record<string, unknown> | undefined = {}
    while (place) {
      const part: Of = await this.#read({ [size]: ITEMS_EACH, ...place })
      yield part
      place = this.#after(part)
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Of['items'][number], void, undefined> {
    for await (const { items } of this.parts()) yield* items as Awaited<Of['items'][number]>[]
  }

  #after({ items, page = 1, totalPages = 1, nextCursor }: Of): Record<string, unknown> | undefined {
    if (this.#kind === 'cursor') return nextCursor === undefined ? undefined : { cursor: nextCursor }
    return page < totalPages && items.length > 0 ? { page: page + 1 } : undefined
  }
}
