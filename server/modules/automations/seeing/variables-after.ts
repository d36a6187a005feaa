type Step = { seen: Readonly<Record<string, unknown>> | null }

/** The variables of a run after the steps of its trace, which tells what each has set. */
export function variablesAfter(steps: readonly Step[]): Record<string, unknown> {
  const set = steps.flatMap(({ seen }) => Object.entries((seen?.set as Record<string, unknown> | undefined) ?? {}))
  return Object.fromEntries(Object.entries(Object.fromEntries(set)).filter(([, value]) => value !== null))
}
