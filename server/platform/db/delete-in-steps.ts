import type pg from 'pg'
import { boundedStep, StepSize } from './bounded-step.ts'
import type { Scope } from './transaction.ts'

const ROWS_PER_STEP_MAX = 5_000

/** `condition`: of the rows that are over, with `$1` and so on for the values. */
export type Deletion = {
  from: string
  where: string
  values?: readonly unknown[]
  /** Asked behind each step: whether to leave the rest for another time. */
  isOver?: () => boolean
}

/**
 * Deletes what is over, however much it is, in steps that nobody's events wait for. Returns how many rows have gone. One that is changed as
 * a step begins has another place by then, and is left for another time.
 */
export async function deleteInSteps(
  pool: pg.Pool,
  scope: Scope,
  { from, where, values = [], isOver = () => false }: Deletion,
): Promise<number> {
  const size = new StepSize(ROWS_PER_STEP_MAX)
  const text = `delete from ${from} where ctid = any (array(
    select ctid from ${from} where ${where} limit $${values.length + 1} for update skip locked))`
  for (let deleted = 0; ; ) {
    const { gone, asked } = await boundedStep(pool, scope, {
      size,
      work: async (tx, rows) => {
        const { rowCount } = await tx.query({ text, values: [...values, rows] })
        return { gone: rowCount ?? 0, asked: rows }
      },
    })
    deleted += gone
    if (gone < asked || isOver()) return deleted
  }
}
