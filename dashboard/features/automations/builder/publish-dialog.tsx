import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { countText, numberText } from '../../../lib/format.ts'
import { isProblem, type SiteProblem } from '../../../lib/problem.ts'
import { type BodyOf, site } from '../../../lib/site.ts'
import type { Automation, AutomationPublishPreview } from '../../../lib/site-types.ts'
import { refresh, useSite } from '../../../lib/use-site.ts'
import { ChoiceField } from '../../../ui/choice.tsx'
import { Button, Select } from '../../../ui/controls.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { FormProblem } from '../../../ui/form-field.tsx'
import { Loading } from '../../../ui/states.tsx'
import { say } from '../../../ui/toasts.tsx'
import { END } from '../flow.ts'
import classes from './builder.module.css'
import { changesText, dayText, fateText } from './change-words.ts'
import { type Definition, nodesOf } from './edit-flow.ts'
import { stepName } from './step-name.ts'

type Inside = 'stay' | 'move' | 'exit'
type Places = Readonly<Record<string, string>>
type Props = { automation: Automation; onClose: () => void }

/** What publishing changes, what becomes of those inside, step by step, and what the next day holds; then it is done. */
export default function PublishDialog({ automation, onClose }: Props) {
  const { id, status, publishedVersion } = automation
  const client = useQueryClient()
  const [inside, setInside] = useState<Inside>('stay')
  const [map, setMap] = useState<Places>({})
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<SiteProblem>()
  const body: BodyOf<'POST /automations/{id}/publish-preview'> = inside === 'move' ? { inside, map } : { inside }
  const read = useQuery<AutomationPublishPreview, SiteProblem>({
    queryKey: ['/automations/{id}/publish-preview', id, body],
    queryFn: ({ signal }) => site('POST /automations/{id}/publish-preview', { params: { id }, body, signal }),
    placeholderData: (before) => before,
    staleTime: 0,
  })
  const preview = read.data
  const names = useNames(automation)
  const isClosed = status === 'draft' || status === 'closed'
  const publish = async () => {
    setBusy(true)
    setProblem(undefined)
    try {
      if (publishedVersion !== null) await site('POST /automations/{id}/publish', { params: { id }, body })
      if (isClosed) await site('POST /automations/{id}/activate', { params: { id } })
      await refresh(client, '/automations')
      say(isClosed ? 'It is in force: people may come in.' : 'The new version is in force.')
      onClose()
    } catch (error) {
      if (!isProblem(error)) throw error
      setProblem(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Dialog title={isClosed ? 'Activate this automation' : 'Publish the changes'} opened wide onClose={onClose}>
      <div className="form">
        {isClosed && <p>From now on people come in, and its mails go out by themselves.</p>}
        {read.error && <FormProblem problem={read.error} />}
        {preview === undefined ? (
          read.isPending && <Loading rows={3} label="It is reckoned what that changes" />
        ) : (
          <Changes {...{ automation, preview, names }} />
        )}
        {preview !== undefined && preview.people.inside > 0 && (
          <People {...{ automation, preview, names, inside, setInside, map, setMap }} />
        )}
        {problem && <FormProblem problem={problem} />}
        <div className="form-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="primary"
            busy={busy}
            disabled={preview === undefined || read.isFetching || preview.faults.length > 0}
            onClick={() => void publish()}
          >
            {actText(isClosed, inside, preview)}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

function actText(isClosed: boolean, inside: Inside, preview: AutomationPublishPreview | undefined): string {
  const word = isClosed ? 'Activate' : 'Publish'
  const { keep = 0, move = 0, leave = 0 } = preview?.people ?? {}
  if (inside === 'move' && keep + move > 0)
    return `${word}, and take ${countText(keep + move, 'person', 'people')} along`
  if (leave > 0) return `${word}, and have ${countText(leave, 'person', 'people')} leave`
  return word
}

type Names = (node: string) => string

/** Steps by what they do; one that is removed by what it does in the version in force. */
function useNames({ id, definition, publishedVersion }: Automation): Names {
  const published = useSite(
    'GET /automations/{id}/versions/{version}',
    { params: { id, version: String(publishedVersion) } },
    { enabled: publishedVersion !== null },
  ).data?.definition
  return (node) =>
    published !== undefined && !Object.hasOwn(nodesOf(definition), node)
      ? stepName(published as Definition, node)
      : stepName(definition, node)
}

type ChangesProps = { automation: Automation; preview: AutomationPublishPreview; names: Names }

function Changes({ automation, preview, names }: ChangesProps) {
  if (automation.publishedVersion === null) return null
  const lines = changesText(preview, names)
  return lines.length === 0 ? (
    <p className="soft">It is as version {automation.publishedVersion}, which is in force.</p>
  ) : (
    <div>
      <p className="field-label">What is other than in version {automation.publishedVersion}</p>
      <ul className={classes.faults} aria-label="Changes">
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </div>
  )
}

function People({
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
  const people = preview.nodes.filter((node) => node.people > 0)
  const places = [
    { value: END, label: 'Are through' },
    { value: 'exit', label: 'Leave' },
    ...Object.keys(nodesOf(definition)).map((id) => ({ value: id, label: `At: ${stepName(definition, id)}` })),
  ]
  return (
    <>
      <ChoiceField
        label={`${countText(preview.people.inside, 'person is', 'people are')} in an older version. They`}
        value={inside}
        onChange={setInside}
        choices={[
          { value: 'stay', label: 'Stay there', description: 'They go on as they began.' },
          {
            value: 'move',
            label: 'Come along',
            description: 'To the same step of the new version, with its new time.',
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
              <td>{names(node)}</td>
              <td className="numbers">{numberText(count)}</td>
              <td>
                {inside === 'move' && change === 'removed' ? (
                  <Select
                    id={`place-of-${node}`}
                    label={`Where those at ${node} go on`}
                    hideLabel
                    value={map[node] ?? ''}
                    error={fate === 'homeless' ? 'Their step is no more.' : undefined}
                    options={[{ value: '', label: 'Choose where they go on', disabled: true }, ...places]}
                    onChange={(event) => setMap({ ...map, [node]: event.currentTarget.value })}
                  />
                ) : (
                  fateText(fate, to === null ? null : stepName(definition, to))
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="soft">{dayText(preview.nextDay)}</p>
    </>
  )
}
