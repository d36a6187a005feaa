import { Suspense } from 'react'
import { lazyPart } from '../lib/load-part.ts'
import type { NamesProps } from './names-input.tsx'

const NamesInput = lazyPart(() => import('./names-input.tsx'))

/** Several names, chosen or typed: Enter and a comma take one in. It is loaded where it is shown. */
export function NamesField(props: NamesProps) {
  return (
    <Suspense>
      <NamesInput {...props} />
    </Suspense>
  )
}
