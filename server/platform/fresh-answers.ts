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
  /**
   * Has everybody ask anew who wants to know of a subject, of any without one: an answer from before is not used, nor one that is
   * still on its way. Answers about others stay.
   */
  forget(subject?: string): void
}

type Entry<T> = { askedAt: number; answer: T | undefined; renewing: boolean }
/** `forgotten`: subjects of which its answer, being older, says nothing any more. */
type Question<T> = { askedAt: number; answer: Promise<T | undefined>; forgotten: Set<string> }

/**
 * Remembers what `find` answered for less than a second. Simultaneous look-ups of one key share a question. `subjectOf` says what
 * an answer is about, where subjects are forgotten one by one; several keys may lead to one.
 */
export function createFreshAnswers<T>(
  find: (key: string) => Promise<T | undefined>,
  subjectOf?: (answer: T) => string,
): FreshAnswers<T> {
  const found = new Map<string, Entry<T>>()
  const keysOf = new Map<string, Set<string>>()
  const notFound = new Map<string, Entry<T>>()
  const questions = new Map<string, Question<T>>()

  const subject = (answer: T | undefined) => (answer === undefined ? undefined : subjectOf?.(answer))

  function ask(key: string): Promise<T | undefined> {
    const askedAt = performance.now()
    const pending = questions.get(key)
    // Joining an old question would take an answer from before it for one from now.
    if (pending && askedAt - pending.askedAt < FRESH_MS) return join(key, pending)
    const asking = find(key).then((answer) => {
      if (questions.get(key) === question && !isForgotten(question.forgotten, answer)) {
        remember(key, { askedAt, answer, renewing: false })
      }
      return answer
    })
    const question: Question<T> = { askedAt, answer: asking, forgotten: new Set() }
    questions.set(key, question)
    const over = () => {
      if (questions.get(key) === question) questions.delete(key)
    }
    asking.then(over, over)
    return asking
  }

  /** A question shows only with its answer whether its subject was forgotten before it was joined: then it is asked anew. */
  function join(key: string, { answer, forgotten }: Question<T>): Promise<T | undefined> {
    if (forgotten.size === 0) return answer
    const before = new Set(forgotten)
    return answer.then((found) => (isForgotten(before, found) ? ask(key) : found))
  }

  function isForgotten(subjects: ReadonlySet<string>, answer: T | undefined): boolean {
    const of = subject(answer)
    return of !== undefined && subjects.has(of)
  }

  function remember(key: string, entry: Entry<T>): void {
    drop(key)
    const [entries, max] = entry.answer === undefined ? [notFound, NOT_FOUND_MAX] : [found, FOUND_MAX]
    entries.set(key, entry)
    const of = subject(entry.answer)
    if (of !== undefined) keysOf.set(of, (keysOf.get(of) ?? new Set()).add(key))
    if (entries.size > max) drop(entries.keys().next().value as string)
  }

  function drop(key: string): void {
    notFound.delete(key)
    const of = subject(found.get(key)?.answer)
    found.delete(key)
    const keys = of === undefined ? undefined : keysOf.get(of)
    keys?.delete(key)
    if (keys?.size === 0) keysOf.delete(of!)
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
    forget(of) {
      if (of === undefined) {
        for (const remembered of [found, keysOf, notFound, questions]) remembered.clear()
        return
      }
      for (const key of keysOf.get(of) ?? []) drop(key)
      for (const { forgotten } of questions.values()) forgotten.add(of)
    },
  }
}
