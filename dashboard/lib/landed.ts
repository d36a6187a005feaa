import { isProblem } from './problem.ts'
import { type AnswerOf, type Operation, type RequestOf, siteTagged, type Tagged } from './site.ts'

/**
 * After a change of which nobody heard the answer, and which is refused the second time since something was saved meanwhile:
 * if what is there is what it asks for, that was the change itself, and nobody else. Throws the problem otherwise.
 */
export async function landed<K extends Operation>(
  operation: K,
  { params, body = {} }: RequestOf<K>,
  problem: unknown,
): Promise<Tagged<AnswerOf<K>>> {
  if (!isProblem(problem, 412) || !operation.startsWith('PATCH ')) throw problem
  const there = await siteTagged(operation.replace('PATCH', 'GET') as K, { params } as RequestOf<K>)
  if (!hasAll(there.value as object, body as object)) throw problem
  return there
}

function hasAll(there: object, asked: object): boolean {
  const now = there as Record<string, unknown>
  return Object.entries(asked).every(([field, value]) => JSON.stringify(now[field]) === JSON.stringify(value))
}
