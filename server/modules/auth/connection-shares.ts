import { networkOf } from './client-ip.ts'

/** Connections that one network may have at once: of a large provider each machine is one. */
export const CONNECTIONS_A_CLIENT = 10

type Connection = { id: string; remoteAddress: string }
/** One that ended before it was ready was never given an address. */
type Left = { id: string }

/** Sees to it that no client takes all the connections of a listener that anybody may write to. */
export class ConnectionShares {
  readonly #open = new Map<string, number>()
  /** Of those that were admitted, by their ids. */
  readonly #networks = new Map<string, string>()
  readonly #max: number

  constructor(max = CONNECTIONS_A_CLIENT) {
    this.#max = max
  }

  /** False when the client's network has its share already. */
  admit({ id, remoteAddress }: Connection): boolean {
    const network = networkOf(remoteAddress)
    const open = this.#open.get(network) ?? 0
    if (open >= this.#max) return false
    this.#open.set(network, open + 1)
    this.#networks.set(id, network)
    return true
  }

  /** One that was not admitted leaves nothing. */
  leave({ id }: Left): void {
    const network = this.#networks.get(id)
    if (network === undefined) return
    this.#networks.delete(id)
    const others = (this.#open.get(network) ?? 1) - 1
    if (others === 0) this.#open.delete(network)
    else this.#open.set(network, others)
  }
}
