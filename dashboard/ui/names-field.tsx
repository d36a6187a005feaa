import { lazyPart } from '../lib/load-part.ts'

/** Several names, chosen or typed: Enter and a comma take one in. It is loaded where it is shown. */
export const NamesField = lazyPart(() => import('./names-input.tsx'))
