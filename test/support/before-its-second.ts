import type pg from 'pg'

/** A pool that has something happen before the second connection is taken from it: between what two transactions read. */
export function beforeItsSecond(pool: pg.Pool, work: () => Promise<unknown>): pg.Pool {
  let taken = 0
  const connect = async () => {
    taken += 1
    if (taken === 2) await work()
    return pool.connect()
  }
  return Object.create(pool, { connect: { value: connect } }) as pg.Pool
}
