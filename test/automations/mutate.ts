/** A change of one text in one file, which is there once. */
export type Change = { file: string; from: string; to: string }
export type Mutant = { name: string; changes: readonly Change[] }

/** A source with a change of a mutant. Throws where its text is not there, or more than once. */
export function mutated(text: string, { file, from, to }: Change): string {
  const parts = text.split(from)
  if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times: ${from}`)
  return parts.join(to)
}
