import { RelativeTime } from '../../../ui/relative-time.tsx'
import { stepName } from '../builder/step-name.ts'
import type { Builder } from '../builder/use-builder.ts'
import { type Result, sinceStart } from './scenario.ts'
import { namedSteps } from './scenario-faults.ts'
import { comesText } from './scenario-words.ts'
import classes from './scenarios.module.css'

type Props = { result: Result; builder: Builder; onStep: (node: string) => void }

/** Expected and seen beside each other, in order of time; what went wrong leads to its step. */
export function ScenarioLines({ result, builder, onStep }: Props) {
  const { fault, lines, skipped, startedAt, steps } = result
  const when = (moment: string | null) => (moment === null ? 'at any time' : sinceStart(startedAt, moment))
  const nameOf = (node: string) => stepName(builder.definition, node, builder.referenceName)
  if (fault !== null) return <p className={classes.lines}>It cannot be run: {namedSteps(fault, nameOf)}.</p>
  const way = steps.filter(({ node }) => node !== '')
  return (
    <div className={classes.lines}>
      <table className={classes.diff}>
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col">Expected</th>
            <th scope="col">Seen</th>
          </tr>
        </thead>
        <tbody>
          {lines.map((line, n) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines stay as they are
            <tr key={n} data-outcome={line.outcome}>
              <td>
                {line.node === null || line.outcome === 'met' ? (
                  comesText(line.kind, line.what, nameOf)
                ) : (
                  <button type="button" className={classes.step} onClick={() => onStep(line.node!)}>
                    {comesText(line.kind, line.what, nameOf)}
                  </button>
                )}
              </td>
              <td data-is="Expected">{line.outcome === 'unexpected' ? 'not expected' : when(line.expectedAt)}</td>
              <td data-is="Seen">
                {line.seenAt === null ? 'did not happen' : <Seen startedAt={startedAt} at={line.seenAt} />}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {skipped.map(({ node, reason }) => (
        <p key={`${node} ${reason}`}>
          {nameOf(node)} was not sent: {reason.replaceAll('_', ' ')}.
        </p>
      ))}
      <p className={classes.way}>
        {way.length === 0
          ? 'They never came in.'
          : `The steps they took: ${way.map(({ node }) => nameOf(node)).join(' › ')}`}
      </p>
    </div>
  )
}

const Seen = ({ startedAt, at }: { startedAt: string; at: string }) => (
  <>
    {sinceStart(startedAt, at)} (<RelativeTime at={at} absolute />)
  </>
)
