import { systemClock } from './clock.ts'

/** Ends one waiter's wait. A ring while nobody waits is kept for the next wait. */
export class Bell {
  #rung = false
  #end: (() => void) | undefined

  ring(): void {
    this.#rung = true
    this.#end?.()
  }

  /** Until the bell rings, at most this long. */
  async wait(timeoutMs: number, clock = systemClock): Promise<void> {
    if (!this.#rung) {
      await new Promise<void>((resolve) => {
        const cancel = clock.after(timeoutMs, resolve)
        this.#end = () => {
          cancel()
          resolve()
        }
      })
      this.#end = undefined
    }
    this.#rung = false
  }
}
