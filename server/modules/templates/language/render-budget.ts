import { RENDER_CHARS_MAX, RENDER_STEPS_MAX } from '../template-limits.ts'

/** The cost of a list item beside its characters: it is copied, compared or written by itself. */
const CHARS_OF_ITEM = 4

/** A template that asks for more than rendering one message may take. */
export class BudgetError extends Error {
  override name = 'BudgetError'
}

/** The rest that one rendering has: of steps, and of characters and list items that it makes, reads or compares. */
export class RenderBudget {
  #steps = 0
  #chars = 0

  takeSteps(count: number): void {
    this.#steps += count
    if (this.#steps > RENDER_STEPS_MAX) throw new BudgetError(`takes more than ${RENDER_STEPS_MAX} steps to render`)
  }

  takeChars(count: number): void {
    this.#chars += count
    if (this.#chars > RENDER_CHARS_MAX)
      throw new BudgetError(`makes more than ${RENDER_CHARS_MAX} characters on its way`)
  }

  /** Reading or comparing a value costs as much as it is long, with everything in it. */
  takeValue(value: unknown): void {
    if (typeof value === 'string') this.takeChars(value.length)
    else if (typeof value === 'object' && value !== null) {
      for (const item of Array.isArray(value) ? value : Object.values(value)) {
        this.takeChars(CHARS_OF_ITEM)
        this.takeValue(item)
      }
    }
  }
}
