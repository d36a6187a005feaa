import { lazyPart } from '../../../lib/load-part.ts'

/** The picture of a step's mail, which comes behind the step: the tree does not wait for what draws it. */
export const MailPicture = lazyPart(() => import('./mail-picture.tsx'))
