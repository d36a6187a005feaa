import { lazy, Suspense } from 'react'
import type { FlowNode } from '../flow-node.ts'

const Picture = lazy(() => import('./mail-picture.tsx'))

/** The picture of a step's mail, which comes behind the step: the tree does not wait for what draws it. */
export function MailPicture(props: { node: FlowNode; large?: boolean }) {
  return (
    <Suspense>
      <Picture {...props} />
    </Suspense>
  )
}
