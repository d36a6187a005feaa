import type { SiteProblem } from '../lib/problem.ts'
import { Copyable } from './copyable.tsx'
import { AlertTriangleIcon } from './icons.tsx'

/** Faults that no field shows, with the request to ask about. */
export function FormProblem({ problem }: { problem: SiteProblem }) {
  return (
    <div className="form-problem" role="alert">
      <AlertTriangleIcon size={16} />
      <div>
        <strong>{problem.title}.</strong> {problem.detail !== problem.title && problem.detail}
        {problem.requestId !== undefined && (
          <div className="form-problem-request">
            Request <Copyable text={problem.requestId} />
          </div>
        )}
      </div>
    </div>
  )
}
