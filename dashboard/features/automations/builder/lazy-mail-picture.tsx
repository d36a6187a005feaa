import { Suspense } from 'react'
import { lazyPart } from '../../../lib/load-part.ts'
import type { FlowNode } from '../flow-node.ts'

const Picture = lazyPart(() => import('./mail-picture.tsx'))

/** The picture of a step's mail, which comes behind the step: the tree does not wait for what draws it. */
export function MailPicture(props: { node: FlowNode; large?: boolean }) {
  return (
    <Suspense>
      <Picture {...props} />
    </Suspense>
  )
}
