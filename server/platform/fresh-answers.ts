/** An answer of the database may be this old: what is revoked is refused within a second on every process. */
const FRESH_MS = 900
/** From this age on an answer is asked for again in the background, so that no request of a busy caller waits for it. */
const RENEW_AFTER_MS = 450
const FOUND_MAX = 10_000
/** Kept apart, so that a stream of made-up keys pushes none that was found out. */
const NOT_FOUND_MAX = 1_000

export type FreshAnswers<T> = {
  /**
   * The answer about a key, at once when a fresh one is known, else after asking. `mayBe` judges a key that nothing is
   * known of yet: of one that cannot be, nobody is asked. Rejects when nobody can be asked.
   */
  lookUp(key: string, mayBe: () => boolean): T | undefined | Promise<T | undefined>
  /** Has everybody ask anew: an answer from before is not used, nor one that is still on its way. */
  forget(): void
}

type Entry<T> = { askedAt: number; answer: T | undefined; renewing: boolean }
type Question<T> = { askedAt: number; answer: Promise<T | undefined> }

/** Remembers what `find` answered for less than a second. Simultaneous look-ups of one key share a question. */
export function createFreshAnswers<T>(find: (key: string) => Promise<T | undefined>): FreshAnswers<T> {
  const found = new Map<string, Entry<T>>()
  const notFound = new Map<string, Entry<T>>()
  const questions = new Map<string, Question<T>>()

  function ask(key: string): Promise<T | undefined> {
    const askedAt = performance.now()
    const pending = questions.get(key)
    // Joining an old question would take an answer from before it for one from now.
    if (pending && askedAt - pending.askedAt < FRESH_MS) return pending.answer
    const asking = find(key).then((answer) => {
      if (questions.get(key) === question) remember(key, { askedAt, answer, renewing: false })
      return answer
    })
    const question: Question<T> = { askedAt, answer: asking }
    questions.set(key, question)
    const over = () => {
      if (questions.get(key) === question) questions.delete(key)
    }
    asking.then(over, over)
    return asking
  }

  function remember(key: string, entry: Entry<T>): void {
    found.delete(key)
    notFound.delete(key)
    const [entries, max] = entry.answer === undefined ? [notFound, NOT_FOUND_MAX] : [found, FOUND_MAX]
    entries.set(key, entry)
    if (entries.size > max) entries.delete(entries.keys().next().value as string)
  }

  return {
    lookUp(key, mayBe) {
      const entry = found.get(key) ?? notFound.get(key)
      if (entry !== undefined) {
        const age = performance.now() - entry.askedAt
        if (age < FRESH_MS) {
          if (age > RENEW_AFTER_MS && !entry.renewing) {
            entry.renewing = true
            // A failure shows at the first request after the answer has grown old.
            ask(key).catch(() => undefined)
          }
          return entry.answer
        }
      } else if (!mayBe()) return undefined
      return ask(key)
    },
    forget() {
      for (const remembered of [found, notFound, questions]) remembered.clear()
    },
  }
}
