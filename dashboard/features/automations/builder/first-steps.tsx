import { END, flowOf } from '../flow.ts'
import { type Line, treeOf } from '../flow-tree.ts'
import { wayText } from '../node-words.ts'
import type { NameOf } from '../rule-words.ts'
import { firstText } from './change-words.ts'
import type { Definition } from './edit-flow.ts'
import classes from './first-steps.module.css'

/** Steps by what they do; segments, templates and the like by their names. */
type Names = { step: (node: string) => string; reference: NameOf }
type Props = { definition: Definition; names: Names; label?: string }

/** What a definition does, whole: who comes in, its steps with the ways that part below theirs, who leaves it, and its goal. */
export function FirstSteps({ definition, names, label }: Props) {
  const { comesIn, goesOut } = firstText(definition, names.reference)
  const line = treeOf(flowOf(definition))
  return (
    <ul className={classes.steps} aria-label={label}>
      <li>{comesIn}</li>
      {line.steps.length === 0 ? (
        <li>It has no steps: whoever comes in is through at once.</li>
      ) : (
        <LineSteps line={line} names={names} />
      )}
      {goesOut.map((one) => (
        <li key={one}>{one}</li>
      ))}
    </ul>
  )
}

/** Steps one after the other; each way of one that parts is named, with its own steps below and where it leads. */
function LineSteps({ line: { steps, tail }, names, isWay }: { line: Line; names: Names; isWay?: boolean }) {
  const last = steps.at(-1)
  // Ways that part tell each by itself where they lead.
  const isTold = (last?.ways.length ?? 0) === 0 && last?.node.type !== 'end' && (isWay || tail.is === 'on')
  return (
    <>
      {steps.map(({ id, node, ways }) => (
        <li key={id}>
          {names.step(id)}
          {ways.length > 0 && (
            <ul className={classes.ways}>
              {ways.map(({ way, line }) => (
                <li key={way}>
                  <span className={classes.way}>{wayText(node, way, names.reference)}:</span>
                  <ul className={classes.steps}>
                    <LineSteps line={line} names={names} isWay />
                  </ul>
                </li>
              ))}
            </ul>
          )}
        </li>
      ))}
      {isTold && (
        <li className={classes.on}>
          {tail.is === 'end' ? 'Then they are through' : `Then on to: ${placeName(tail.place.to, names)}`}
        </li>
      )}
    </>
  )
}

const placeName = (id: string, { step }: Names) => (id === END ? 'the end' : step(id))
