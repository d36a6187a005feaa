import type { Feature } from '../lib/feature.ts'
import { declarePages } from '../lib/pages-here.ts'

const found = import.meta.glob<{ feature: Feature }>('../features/*/routes.tsx', { eager: true })

/** Every feature there is: a folder with a `routes.tsx` is one, and is listed nowhere else. */
export const FEATURES: readonly Feature[] = Object.values(found).map(({ feature }) => feature)

declarePages(FEATURES.flatMap(({ routes }) => routes.map(({ path }) => path)))
