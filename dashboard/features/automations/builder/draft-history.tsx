import { useState } from 'react'
import type { AutomationRevisionSummary } from '../../../lib/site-types.ts'
import { useAct, useSite } from '../../../lib/use-site.ts'
import { Button } from '../../../ui/controls.tsx'
import { Drawer } from '../../../ui/drawer.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { RelativeTime } from '../../../ui/relative-time.tsx'
import { Shown } from '../../../ui/states.tsx'
import { say, sayProblem } from '../../../ui/toasts.tsx'
import { changesText } from './change-words.ts'
import classes from './draft-history.module.css'
import { nodesOf } from './edit-flow.ts'
import { FirstSteps } from './first-steps.tsx'
import { stepName } from './step-name.ts'
import type { Builder } from './use-builder.ts'

const SHOWN = 50

type Props = { builder: Builder; onClose: () => void }

/** What the draft was and who wrote it: each with what has changed since, what it did, and the way back to it. */
export default function DraftHistory({ builder, onClose }: Props) {
  const { id, draft } = builder
  // Over a change that only this browser has, the server's state would not be taken in.
  const isSaved = draft.state.is === 'saved'
  const [chosen, setChosen] = useState<number>()
  const revisions = useSite('GET /automations/{id}/revisions', { params: { id }, query: { pageSize: SHOWN } })
  const restore = useAct('POST /automations/{id}/revisions/{revision}/restore', { changes: ['/automations'] })
  const goBackTo = (revision: number) =>
    restore
      .mutateAsync({ params: { id, revision: String(revision) }, ifMatch: draft.etag })
      .then(() => {
        say('It is as it was then. What it was before this is in the history too.')
        onClose()
      })
      .catch(sayProblem)
  return (
    <Drawer title="History of the draft" opened onClose={onClose}>
      {!isSaved && (
        <Notice tone="warn">
          What you wrote last is not saved yet, and nothing can be restored before it is. Close this to see what is in
          the way.
        </Notice>
      )}
      <Shown read={revisions}>
        {({ items }) => (
          <ol className={classes.revisions}>
            {items.map((one, index) => (
              <li key={one.revision}>
                <div className={classes.revision}>
                  <Author one={one} isNow={index === 0} />
                  {index > 0 && (
                    <span className={classes.acts}>
                      <Button
                        small
                        aria-expanded={chosen === one.revision}
                        onClick={() => setChosen(chosen === one.revision ? undefined : one.revision)}
                      >
                        Compare
                      </Button>
                      <Button small disabled={!isSaved} busy={restore.isPending} onClick={() => goBackTo(one.revision)}>
                        Restore
                      </Button>
                    </span>
                  )}
                </div>
                {chosen === one.revision && <Comparison builder={builder} revision={one.revision} />}
              </li>
            ))}
          </ol>
        )}
      </Shown>
    </Drawer>
  )
}

function Author({ one: { by, savedAt, restoredFrom }, isNow }: { one: AutomationRevisionSummary; isNow: boolean }) {
  return (
    <span>
      <strong>{by === null ? 'Before there was a history' : authorText(by)}</strong>
      {isNow && ' (now)'}{' '}
      <span className="soft">
        <RelativeTime at={savedAt} />
        {restoredFrom !== null && ', brought back'}
      </span>
    </span>
  )
}

function authorText({ kind, name }: NonNullable<AutomationRevisionSummary['by']>): string {
  if (kind === 'operator') return 'The command line'
  return name ?? (kind === 'user' ? 'Somebody who is gone' : 'A token')
}

function Comparison({
  builder: { id, definition: now, referenceName },
  revision,
}: Pick<Props, 'builder'> & { revision: number }) {
  const params = { id, revision: String(revision) }
  const found = useSite('GET /automations/{id}/revisions/{revision}', { params })
  return (
    <Shown read={found} rows={3}>
      {({ definition, since }) => {
        // A step that is no more is told as it was.
        const nameOf = (node: string) =>
          stepName(Object.hasOwn(nodesOf(now), node) ? now : definition, node, referenceName)
        const then = (node: string) => stepName(definition, node, referenceName)
        const changes = [
          ...changesText(since, { now: nameOf, was: then }),
          ...(since.scenarios ? ['The scenarios are other.'] : []),
        ]
        return (
          <div className={classes.compared}>
            <h3>Changed since</h3>
            {changes.length === 0 ? <p>Nothing: it is as it was then.</p> : <Lines lines={changes} />}
            <h3>What it did</h3>
            <FirstSteps definition={definition} names={{ step: then, reference: referenceName }} />
          </div>
        )
      }}
    </Shown>
  )
}

function Lines({ lines }: { lines: readonly string[] }) {
  return (
    <ul>
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: sentences, of which two may be the same
        <li key={index}>{line}</li>
      ))}
    </ul>
  )
}
