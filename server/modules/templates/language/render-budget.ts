import { RENDER_CHARS_MAX, RENDER_STEPS_MAX } from '../template-limits.ts'

/** The cost of a list item beside its characters: it is copied, compared or written by itself. */
const CHARS_OF_ITEM = 4

/** A template that asks for more than rendering one message may take. */
export class BudgetError extends Error {
  override name = 'BudgetError'
}

export type RenderLimits = { steps: number; chars: number }
/** All that a message may take. */
export const WHOLE_LIMITS: RenderLimits = { steps: RENDER_STEPS_MAX, chars: RENDER_CHARS_MAX }

/** The rest that one rendering has: of steps, and of characters and list items that it makes, reads or compares. */
export class RenderBudget {
  readonly #limits: RenderLimits
  #steps = 0
  #chars = 0

  constructor(limits: RenderLimits = WHOLE_LIMITS) {
    this.#limits = limits
  }

  takeSteps(count: number): void {
    this.#steps += count
    if (this.#steps > this.#limits.steps) throw new BudgetError(`takes more than ${this.#limits.steps} steps to render`)
  }

  takeChars(count: number): void {
    this.#chars += count
    if (this.#chars > this.#limits.chars) {
      throw new BudgetError(`makes more than ${this.#limits.chars} characters on its way`)
    }
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
