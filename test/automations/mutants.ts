import { COMING_IN } from './mutants-of-coming-in.ts'
import { HEARING } from './mutants-of-hearing.ts'
import { RUNS } from './mutants-of-runs.ts'
import type { Mutant } from './mutate.ts'

/*
 * Ways in which the engine could be wrong and look right: each takes away one of the rules after which no event is missed and no
 * timer decides too early (docs/adr/0015). The model test has to find every one of them (`npm run test:mutants`).
 */

export const MUTANTS: readonly Mutant[] = [...HEARING, ...COMING_IN, ...RUNS]
