import { networkOf } from './client-ip.ts'

/** Connections that one network may have at once: of a large provider each machine is one. */
export const CONNECTIONS_A_CLIENT = 10

type Connection = { id: string; remoteAddress: string }

/** Sees to it that no client takes all the connections of a listener that anybody may write to. */
export class ConnectionShares {
  readonly #networks = new Map<string, Set<string>>()
  readonly #max: number

  constructor(max = CONNECTIONS_A_CLIENT) {
    this.#max = max
  }

  /** False when the client's network has its share already. */
  admit({ id, remoteAddress }: Connection): boolean {
    const network = networkOf(remoteAddress)
    const open = this.#networks.get(network) ?? new Set()
    if (open.size >= this.#max) return false
    this.#networks.set(network, open.add(id))
    return true
  }

  /** One that was not admitted leaves nothing. */
  leave({ id, remoteAddress }: Connection): void {
    const network = networkOf(remoteAddress)
    const open = this.#networks.get(network)
    if (open?.delete(id) && open.size === 0) this.#networks.delete(network)
  }
}
