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
  const named = usedBy.slice(0, NAMED_MAX)
  const more = usedBy.length - named.length
  return (
    <div className="form-problem" role="alert">
      <AlertTriangleIcon size={16} />
      <div>
        <strong>It is in use</strong> by{' '}
        {named.map(({ type, id, name }, at) => (
          <span key={`${type} ${id}`}>
            {at > 0 && (at === named.length - 1 && more <= 0 ? ' and ' : ', ')}the {type}{' '}
            <Link to={`/${type}s/${id}`}>“{name}”</Link>
          </span>
        ))}
        {more > 0 && ` and ${more} more`}. Take it out there first.
      </div>
    </div>
  )
}
