import { crashPoint } from '../crash-point.ts'
import type { Transaction } from '../db/transaction.ts'

/** How often a turn with work under way looks for what came due meanwhile, if nobody tells it. */
const LOOK_AGAIN_MS = 500

/** A module's part in the work of one turn. `C` is a claim, `R` what became of it. */
export type TurnWork<C, R> = {
  /** Claims that may be worked on at once. May change with each result. */
  places(): number
  /** Results that may wait to be recorded, with what is under way: what a kill leaves without an answer. */
  unrecordedMax: number
  /** Commits claims, a few for each place, before anything is done with them; `mayHaveMore`: others may be due. */
  claim(places: number): Promise<{ claims: readonly C[]; mayHaveMore: boolean }>
  /** Takes a claim all the way. Rejects for the database's sake only: the turn then fails, and its claims go back. */
  work(claim: C, stopping: AbortSignal): Promise<R>
  /**
   * Makes the result durable, if the claim is still the turn's; false when it could not be written. Then the turn ends, and
   * the lane rests: done again at once, the same claim would end the same way, over and over.
   */
  record(result: R): Promise<boolean>
  /** That nothing can be done for now, once it is so. `keepsClaims`: what is claimed may still be done. */
  pause?(): Pause | undefined
  /** In the transaction that ends the turn, before the lane is locked. */
  beforeEnd?(tx: Transaction): Promise<void>
  /** In the transaction that finds nothing queued any more. */
  drained?(tx: Transaction): Promise<void>
}

export type Pause = { afterMs: number; keepsClaims?: boolean }

/** The claims of one turn. Everything that changes its state rings; the loop then looks what there is to do. */
export class TurnRun<C, R> {
  /** Whether the turn may have claims in the database that it does not work on. */
  hasClaims = false
  /** Whether a result could not be written: what the turn did may have to be done again. */
  hasUnwritten = false
  readonly #name: string
  readonly #work: TurnWork<C, R>
  #waiting: C[] = []
  #underWay = 0
  #unrecorded = 0
  #claiming = false
  #mayHaveMore = true
  #failure: { error: unknown } | undefined
  #ring: (() => void) | undefined

  constructor(name: string, work: TurnWork<C, R>) {
    this.#name = name
    this.#work = work
  }

  lookAgain(): void {
    this.#mayHaveMore = true
    this.#ring?.()
  }

  /** Returns when nothing is due, or `isTime()`, or on a pause, and all that was begun is recorded. */
  async workThrough(isTime: () => boolean, stopping: AbortSignal): Promise<void> {
    for (;;) {
      const pause = this.#work.pause?.()
      const isOver = this.#failure !== undefined || this.hasUnwritten || isTime()
      if (isOver || (pause && !pause.keepsClaims)) this.#putDown()
      // Results of what is under way are worth keeping: only then does the turn fail.
      if (this.#failure && !this.#isBusy()) throw this.#failure.error
      while (this.#waiting.length > 0 && this.#mayBegin()) this.#begin(this.#waiting.shift()!, stopping)
      const wantsMore = this.#mayHaveMore && !isOver && !pause
      if (wantsMore && !this.#claiming && this.#waiting.length < this.#work.places()) this.#claim()
      if (!this.#isBusy() && this.#waiting.length === 0 && !wantsMore && !this.#failure) return
      await this.#change()
    }
  }

  #isBusy(): boolean {
    return this.#underWay > 0 || this.#unrecorded > 0 || this.#claiming
  }

  #mayBegin(): boolean {
    return this.#underWay < this.#work.places() && this.#underWay + this.#unrecorded < this.#work.unrecordedMax
  }

  #putDown(): void {
    if (this.#waiting.length > 0) this.hasClaims = true
    this.#waiting = []
  }

  #claim(): void {
    this.#claiming = true
    // Cleared before the claim looks: what becomes due while it is under way must not be forgotten when it returns.
    this.#mayHaveMore = false
    this.#work
      .claim(this.#work.places())
      .then(({ claims, mayHaveMore }) => {
        crashPoint(`${this.#name}_turn_claimed`)
        this.#waiting.push(...claims)
        if (mayHaveMore) this.#mayHaveMore = true
      })
      .catch((error: unknown) => this.#fail(error))
      .finally(() => {
        this.#claiming = false
        this.#ring?.()
      })
  }

  /**
   * The place is free with the answer: it does not wait for the result to be recorded. From one to the other there is no
   * moment between, in which the loop would take the claim for done.
   */
  #begin(claim: C, stopping: AbortSignal): void {
    this.#underWay++
    const ended = (then: () => void) => {
      this.#underWay--
      then()
      this.#ring?.()
    }
    this.#work.work(claim, stopping).then(
      (result) => ended(() => this.#record(result)),
      (error: unknown) => ended(() => this.#fail(error)),
    )
  }

  #record(result: R): void {
    this.#unrecorded++
    this.#work
      .record(result)
      .then((written) => {
        if (!written) this.hasUnwritten = this.hasClaims = true
      })
      .catch((error: unknown) => this.#fail(error))
      .finally(() => {
        this.#unrecorded--
        this.#ring?.()
      })
  }

  #fail(error: unknown): void {
    this.#failure ??= { error }
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.lookAgain(), LOOK_AGAIN_MS)
      this.#ring = () => {
        clearTimeout(timer)
        this.#ring = undefined
        resolve()
      }
    })
  }
}
