import { Button } from '../../../ui/controls.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { flowOf } from '../flow.ts'
import { type Line, treeOf } from '../flow-tree.ts'
import { kindText } from '../node-words.ts'
import { BEGINNINGS, type Beginning } from './beginnings.ts'
import classes from './builder.module.css'
import { enterText } from './enter-words.ts'

/** Automations to begin with: each is whole, with its mails. */
export function BeginningsList({ busy, onTake }: { busy: boolean; onTake: (beginning: Beginning) => void }) {
  return (
    <Panel
      title="From the gallery"
      note="With its mails and scenarios. Every word, time and event of it is yours to change."
      flush
    >
      <ul className={classes.beginnings} aria-label="Automations to begin with">
        {BEGINNINGS.map((beginning) => (
          <li key={beginning.key}>
            <div>
              <h3 className={classes.beginningName}>{beginning.name}</h3>
              <p className="soft">{beginning.does}</p>
              <p className={classes.beginningEnter}>People come in {enterText(beginning.definition.enter)}</p>
              <ol className={classes.beginningSteps} aria-label="Steps">
                {kindsOf(beginning).map((kind, at) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: kinds come again
                  <li key={at}>{kind}</li>
                ))}
              </ol>
            </div>
            <Button small busy={busy} onClick={() => onTake(beginning)}>
              Begin with it<span className="visually-hidden">{beginning.name}</span>
            </Button>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

/** Its steps in the order in which people come to them. */
function kindsOf({ definition }: Beginning): string[] {
  const kinds = ({ steps }: Line): string[] =>
    steps.flatMap(({ node, ways }) => [kindText(node), ...ways.flatMap(({ line }) => kinds(line))])
  return kinds(treeOf(flowOf(definition)))
}
