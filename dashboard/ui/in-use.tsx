import type { SiteProblem } from '../lib/problem.ts'
import { FormProblem } from './form-problem.tsx'
import { AlertTriangleIcon } from './icons.tsx'
import { Link } from './link.tsx'

/** More are counted, and not named. */
const NAMED_MAX = 5

/** Why something is not deleted: what uses it, with the way there; any other problem as forms tell it. */
export function InUse({ problem }: { problem: SiteProblem }) {
  const { usedBy } = problem
  if (usedBy.length === 0) return <FormProblem problem={problem} />
  const more = usedBy.length - NAMED_MAX
  return (
    <div className="form-problem" role="alert">
      <AlertTriangleIcon size={16} />
      <div>
        <strong>It is in use.</strong> It is used by{' '}
        {usedBy.slice(0, NAMED_MAX).map(({ type, id, name }, at) => (
          <span key={`${type} ${id}`}>
            {at > 0 && ', '}the {type} <Link to={`/${type}s/${id}`}>“{name}”</Link>
          </span>
        ))}
        {more > 0 && ` and ${more} more`}.
      </div>
    </div>
  )
}
