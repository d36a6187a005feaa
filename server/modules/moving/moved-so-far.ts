import type { MovedIn } from './move-in.ts'
import type { LeftOut } from './moved.ts'

/** A move as far as it is brought in; `importing` is the import that is being waited for. */
export type MovedSoFar = MovedIn & { importing: string | null; leftOutTotal: number }

/** Things that were left out by name; more of them are only counted. */
const LEFT_OUT_MAX = 200

export const NOTHING_MOVED: MovedSoFar = {
  ...{ people: [], importing: null, optOuts: { added: 0, known: 0 } },
  ...{ templates: { created: 0, known: 0 }, broadcasts: { created: 0, known: 0 }, leftOut: [], leftOutTotal: 0 },
}

/** The same with more that was left out. */
export function withLeftOut(moved: MovedSoFar, more: readonly LeftOut[]): MovedSoFar {
  return {
    ...moved,
    leftOut: [...moved.leftOut, ...more].slice(0, LEFT_OUT_MAX),
    leftOutTotal: moved.leftOutTotal + more.length,
  }
}
