import type { Change } from './mutants.ts'

/** A source with a change of a mutant. Throws where its text is not there, or more than once. */
export function mutated(text: string, { file, from, to }: Change): string {
  const parts = text.split(from)
  if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times: ${from}`)
  return parts.join(to)
}
