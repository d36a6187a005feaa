import { inspect } from 'node:util'

export const STARS = '***'

/** A value that shows as stars wherever it is printed, written as JSON or put into a string. */
export class Secret {
  readonly #value: string

  constructor(value: string) {
    this.#value = value
  }

  /** The value itself; call it where the value is used, and nowhere else. */
  reveal(): string {
    return this.#value
  }

  toString(): string {
    return STARS
  }

  toJSON(): string {
    return STARS
  }

  [Symbol.toPrimitive](): string {
    return STARS
  }

  [inspect.custom](): string {
    return STARS
  }
}
