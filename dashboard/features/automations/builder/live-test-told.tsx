import type { AutomationTest } from '../../../lib/site-types.ts'
import { Button } from '../../../ui/controls.tsx'
import { reasonText, refusalText, skipText } from '../automation-words.ts'
import { sinceStart } from '../scenarios/scenario.ts'
import classes from './builder.module.css'
import { stepName } from './step-name.ts'
import type { Builder } from './use-builder.ts'

type Props = { told: AutomationTest; builder: Builder; onAgain: () => void; onClose: () => void }

/** The way that somebody went in a test: each step with what comes of it and when, and how it ends. */
export function LiveTestTold({ told, builder, onAgain, onClose }: Props) {
  const { refused, steps, mails, destination } = told
  const startedAt = steps[0]?.at ?? ''
  return (
    <div className="form" role="status">
      {refused === null ? (
        <>
          <p>
            {mails.length === 0 ? 'No mail is on its way' : `${mailsText(mails.length)} on the way to ${destination}`}.{' '}
            {endOf(told)}
          </p>
          <ol className={classes.testedSteps}>
            {steps
              .filter(({ node }) => node !== '')
              .map(({ node, at }, n) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: steps stay as they are
                <li key={n}>
                  <span>{stepName(builder.definition, node, builder.referenceName)}</span>
                  <span className="soft">{[sinceStart(startedAt, at), ...notesOn(told, node)].join(', ')}</span>
                </li>
              ))}
          </ol>
        </>
      ) : (
        <p>They do not come in: {refused === 'no_trigger' ? 'nothing brings anybody in' : refusalText(refused)}.</p>
      )}
      <div className="form-actions">
        <Button onClick={onAgain}>Test again</Button>
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </div>
  )
}

const mailsText = (count: number) => (count === 1 ? 'One mail is' : `${count} mails are`)

function endOf({ end }: AutomationTest): string {
  if (end === null) return 'They are still inside after 400 days.'
  return end === 'completed' ? 'They come to the end.' : `They leave: ${reasonText(end)}.`
}

/** Of a step: that its mail goes or why it does not, and what a run would do besides. */
function notesOn({ mails, skipped, notDone }: AutomationTest, node: string): string[] {
  const skip = skipped.find((one) => one.node === node)
  return [
    ...(mails.some((one) => one.node === node) ? ['sent'] : []),
    ...(skip ? [`not sent: ${skipText(skip.reason)}`] : []),
    ...(notDone.some((one) => one.node === node) ? ['not done in a test'] : []),
  ]
}
