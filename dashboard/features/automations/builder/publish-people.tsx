import { countText, numberText } from '../../../lib/format.ts'
import type { Automation, AutomationPublishPreview } from '../../../lib/site-types.ts'
import { ChoiceField } from '../../../ui/choice.tsx'
import { Select } from '../../../ui/controls.tsx'
import { END } from '../flow.ts'
import classes from './builder.module.css'
import { fateText } from './change-words.ts'
import { stepsInOrder } from './step-name.ts'

export type Inside = 'stay' | 'move' | 'exit'
export type Places = Readonly<Record<string, string>>
/** Steps by what they do in the draft and for those who stand there, and their places from top to bottom. */
type Names = { now: (node: string) => string; standing: (node: string) => string; place: (node: string) => number }

/** What becomes of those who came in by an earlier version than the one in force then, step by step. */
export function PublishPeople({
  automation: { definition },
  preview,
  names,
  inside,
  setInside,
  map,
  setMap,
}: {
  automation: Automation
  preview: AutomationPublishPreview
  names: Names
  inside: Inside
  setInside: (inside: Inside) => void
  map: Places
  setMap: (map: Places) => void
}) {
  const people = preview.nodes
    .filter((node) => node.people > 0)
    .toSorted((one, other) => names.place(one.node) - names.place(other.node))
  const places = [
    { value: END, label: 'Are through' },
    { value: 'exit', label: 'Leave' },
    ...stepsInOrder(definition).map((id) => ({ value: id, label: `At: ${names.now(id)}` })),
  ]
  return (
    <>
      <ChoiceField
        label={`${countText(preview.people.inside, 'person', 'people')} came in by an earlier version`}
        value={inside}
        onChange={setInside}
        choices={[
          {
            value: 'stay',
            label: 'Go on as they began',
            description: 'By the steps of the version they came in by. You need not do anything about them.',
          },
          {
            value: 'move',
            label: 'Come along',
            description: `To the same step of ${preview.publishes ? 'the new version' : 'the version in force'}, with its new time.`,
          },
          {
            value: 'exit',
            label: 'Leave',
            description: 'Their way ends now; mail that has not gone out is taken back.',
          },
        ]}
      />
      <table className={classes.peopleTable}>
        <caption className="visually-hidden">People at each step</caption>
        <thead>
          <tr>
            <th scope="col">Step</th>
            <th scope="col">People</th>
            <th scope="col">What becomes of them</th>
          </tr>
        </thead>
        <tbody>
          {people.map(({ node, people: count, fate, to, change }) => (
            <tr key={node}>
              <td>{names.standing(node)}</td>
              <td className="numbers">{numberText(count)}</td>
              <td>
                {inside === 'move' && change === 'removed' ? (
                  <Select
                    id={`place-of-${node}`}
                    label={`Where those at ${names.standing(node)} go on`}
                    hideLabel
                    value={map[node] ?? ''}
                    error={fate === 'homeless' ? 'Their step is no more.' : undefined}
                    options={[{ value: '', label: 'Choose where they go on', disabled: true }, ...places]}
                    onChange={(event) => setMap({ ...map, [node]: event.currentTarget.value })}
                  />
                ) : (
                  fateText(fate, to === null ? null : names.now(to))
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}
