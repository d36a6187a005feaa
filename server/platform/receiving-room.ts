/** A part of a room that somebody may have of it at the most. */
export type Share = { of: string; bytesMax: number }

/** The room as one sender has it. `take` and `lacks` tell where so many bytes are not to be had; undefined: they are. */
export type Room = {
  lacks(bytes: number): Lack | undefined
  take(bytes: number): Lack | undefined
  giveBack(bytes: number): void
}

/** A share is used up, or the room that all have together. */
export type Lack = 'share' | 'room'

/** Memory for what comes in: for all of it together, of which nobody has more than their shares. */
export class ReceivingRoom {
  #left: number
  readonly #taken = new Map<string, number>()

  constructor(bytes: number) {
    this.#left = bytes
  }

  of(shares: readonly Share[]): Room {
    const taken = (of: string) => this.#taken.get(of) ?? 0
    const note = (bytes: number) => {
      this.#left -= bytes
      for (const { of } of shares) {
        if (taken(of) + bytes === 0) this.#taken.delete(of)
        else this.#taken.set(of, taken(of) + bytes)
      }
    }
    const lacks = (bytes: number): Lack | undefined => {
      if (shares.some(({ of, bytesMax }) => taken(of) + bytes > bytesMax)) return 'share'
      return bytes > this.#left ? 'room' : undefined
    }
    return {
      lacks,
      take(bytes) {
        const lack = lacks(bytes)
        if (lack === undefined) note(bytes)
        return lack
      },
      giveBack: (bytes) => note(-bytes),
    }
  }
}
