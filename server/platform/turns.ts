import { overloaded } from './http/http-problems.ts'

/**
 * Limits of costly work in a process: how much of it is under way at the same time, and of that of one owner; how much more may
 * wait for its turn; and when those come again for whom there is no place to wait.
 */
export type TurnLimits = { atOnceMax: number; atOnceOfOneMax?: number; waitingMax: number; retryAfterSeconds: number }

/**
 * Does work when it is its owner's turn. Throws a 503 for whom there is no place to wait, and for one whose answer, as `gone` says, nobody
 * wants any more: while it waits at once, and under way when `work` gives up.
 */
export type Turns = <T>(owner: string, work: () => Promise<T>, gone?: AbortSignal) => Promise<T>

type Waiting = { begin(): void; refuse(): void }
type Owner = { running: number; waiting: Waiting[] }

/**
 * Shares out the turns of a process, so that no owner keeps others waiting. A place that is free goes to the owner with fewest, of
 * those with as few to the one whose last turn is longest ago. Where every place to wait is taken, one more has that of the last who
 * came for the owner with most of them.
 */
export function createTurns(limits: TurnLimits): Turns {
  const { atOnceMax, atOnceOfOneMax = atOnceMax, waitingMax, retryAfterSeconds } = limits
  /** Owners of what is under way or waits, by their last turn. */
  const owners = new Map<string, Owner>()
  let [running, waiting] = [0, 0]
  const refusal = () => overloaded(retryAfterSeconds)

  function ownerOf(name: string): Owner {
    const owner = owners.get(name) ?? { running: 0, waiting: [] }
    owners.set(name, owner)
    return owner
  }

  function begin(name: string, owner: Owner): void {
    running += 1
    owner.running += 1
    owners.delete(name)
    owners.set(name, owner)
  }

  function forgetIdle(name: string, owner: Owner): void {
    if (owner.running + owner.waiting.length === 0) owners.delete(name)
  }

  function end(name: string, owner: Owner): void {
    running -= 1
    owner.running -= 1
    const may = [...owners].filter(([, one]) => one.waiting.length > 0 && one.running < atOnceOfOneMax)
    const fewest = Math.min(...may.map(([, one]) => one.running))
    const [nextName, next] = may.find(([, one]) => one.running === fewest) ?? []
    if (nextName !== undefined && next !== undefined) {
      waiting -= 1
      begin(nextName, next)
      next.waiting.shift()!.begin()
    }
    forgetIdle(name, owner)
  }

  /** Takes the last place to wait from the owner with most, if that has more than this one will have. */
  function makePlace(owner: Owner): void {
    const [, most] = [...owners].reduce((one, other) => (other[1].waiting.length > one[1].waiting.length ? other : one))
    if (most.waiting.length <= owner.waiting.length + 1) throw refusal()
    waiting -= 1
    most.waiting.pop()!.refuse()
  }

  async function turnOf(name: string, owner: Owner, gone: AbortSignal | undefined): Promise<void> {
    if (running < atOnceMax && owner.running < atOnceOfOneMax) return begin(name, owner)
    if (waiting === waitingMax) makePlace(owner)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const one = { begin: resolve, refuse: () => reject(refusal()) }
    waiting += 1
    owner.waiting.push(one)
    const leave = () => {
      const at = owner.waiting.indexOf(one)
      if (at === -1) return
      waiting -= 1
      owner.waiting.splice(at, 1)
      one.refuse()
      forgetIdle(name, owner)
    }
    gone?.addEventListener('abort', leave)
    return promise.finally(() => gone?.removeEventListener('abort', leave))
  }

  return async (name, work, gone) => {
    if (gone?.aborted) throw refusal()
    const owner = ownerOf(name)
    try {
      await turnOf(name, owner, gone)
    } catch (error) {
      forgetIdle(name, owner)
      throw error
    }
    try {
      return await work()
    } catch (error) {
      throw gone?.aborted ? refusal() : error
    } finally {
      end(name, owner)
    }
  }
}
