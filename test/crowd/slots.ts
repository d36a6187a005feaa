import type { Doer } from './doer.ts'
import type { Things } from './world.ts'

/** An id of the kind, which may be gone; one that never was where there is none yet. */
export const idOf = ({ world, pick }: Doer, kind: keyof Things) => pick(world.things[kind]) ?? '999999999'

type Made = { status: number; json: { id?: unknown } | undefined }

/** Notes what was made in place of one of the few, or beside them while there are fewer than `max`. */
export function keep<A extends Made>(
  { world, random }: Doer,
  kind: keyof Things,
  { answer, max }: { answer: A; max: number },
): A {
  const id: unknown = answer.json?.id
  if (answer.status >= 300 || typeof id !== 'string') return answer
  const slots = world.things[kind]
  if (slots.includes(id)) return answer
  if (slots.length < max) slots.push(id)
  else slots[Math.floor(random() * max)] = id
  return answer
}
