import { useMemo, useState } from 'react'
import { isProblem, SiteProblem } from '../../../lib/problem.ts'
import { useAct } from '../../../lib/use-site.ts'
import { sayProblem } from '../../../ui/toasts.tsx'
import type { Builder } from '../builder/use-builder.ts'
import { failingSteps, type Result, type Scenario } from './scenario.ts'
import { scenarioFaultText } from './scenario-faults.ts'

export type Scenarios = {
  list: readonly Scenario[]
  put: (list: readonly Scenario[]) => void
  /** Plays those given, all of them when absent, with the steps as they are in this browser. */
  play: (list?: readonly Scenario[]) => Promise<readonly Result[] | undefined>
  isPlaying: boolean
  /** As it is here, or as it was before. */
  wasPlayed: boolean
  /** Of what is here now; undefined before it was played. */
  results: readonly Result[] | undefined
  failing: ReadonlyMap<string, string[]>
}

/** What is wrong with scenarios by its place on the page. */
function inWords(problem: SiteProblem, scenarios: readonly Scenario[]): SiteProblem {
  const [first] = problem.errors
  if (!first?.pointer.startsWith('/scenarios')) return problem
  return new SiteProblem({ ...problem, title: 'This cannot be run', detail: scenarioFaultText(first, scenarios) })
}

const NOTHING: ReadonlyMap<string, string[]> = new Map()

/** The scenarios of an automation that is built, and what came of them when they were last played. */
export function useScenarios({ id, definition, draft }: Builder): Scenarios {
  const list = draft.value.scenarios
  const act = useAct('POST /automations/{id}/run-scenarios')
  const [played, setPlayed] = useState<{ definition: unknown; list: unknown; items: readonly Result[] }>()
  const results = played?.definition === definition && played.list === list ? played.items : undefined
  const failing = useMemo(() => (results === undefined ? NOTHING : failingSteps(results)), [results])
  return {
    list,
    put: (next) => draft.change({ scenarios: [...next] }),
    async play(given) {
      const body = { definition, scenarios: [...(given ?? list)] }
      try {
        const { items } = (await act.mutateAsync({ params: { id }, body: body as never })).value
        if (given === undefined) setPlayed({ definition, list, items })
        return items
      } catch (error) {
        sayProblem(isProblem(error) ? inWords(error, body.scenarios) : error)
        return undefined
      }
    },
    isPlaying: act.isPending,
    wasPlayed: played !== undefined,
    results,
    failing,
  }
}
