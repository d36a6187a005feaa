import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { countText } from '../../../lib/format.ts'
import { isProblem, type SiteProblem } from '../../../lib/problem.ts'
import { type BodyOf, site, siteTagged, type Tagged } from '../../../lib/site.ts'
import type { Automation, AutomationPublishPreview } from '../../../lib/site-types.ts'
import { areKnown } from '../../../lib/use-known.ts'
import { refresh } from '../../../lib/use-site.ts'
import { Button } from '../../../ui/controls.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { FormProblem } from '../../../ui/form-problem.tsx'
import { HalfWritten } from '../../../ui/half-written.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { Loading, Shown } from '../../../ui/states.tsx'
import { say } from '../../../ui/toasts.tsx'
import { useNamesOfVersions } from '../names-of-versions.ts'
import { useReferenceNames } from '../reference-names.ts'
import { usePublished } from '../step-of-version.tsx'
import classes from './builder.module.css'
import { changesText, dayText } from './change-words.ts'
import { type Definition, nodesOf } from './edit-flow.ts'
import { placedFault } from './fault-places.ts'
import { placedText } from './fault-words.ts'
import { FirstSteps } from './first-steps.tsx'
import { type Inside, type Places, PublishPeople } from './publish-people.tsx'
import { SCENARIOS_FAILED, ScenariosFailed } from './scenarios-failed.tsx'
import { stepName, stepsInOrder } from './step-name.ts'

type Props = { id: string; isClosed: boolean; onClose: () => void }

/** What publishing changes, what becomes of those inside, step by step, and what the next day holds; then it is done. */
export default function PublishDialog({ id, isClosed, onClose }: Props) {
  const read = useQuery<Tagged<Automation>, SiteProblem>({
    // Apart from what refreshes itself: only what was shown is published.
    queryKey: ['draft to publish', id],
    queryFn: ({ signal }) => siteTagged('GET /automations/{id}', { params: { id }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  return (
    <Dialog title={isClosed ? 'Activate this automation' : 'Publish the changes'} opened wide onClose={onClose}>
      <Shown read={read}>
        {(tagged) => (
          <Publishing key={tagged.etag} {...{ tagged, isClosed, onClose }} onReload={() => void read.refetch()} />
        )}
      </Shown>
    </Dialog>
  )
}

type PublishingProps = { tagged: Tagged<Automation>; isClosed: boolean; onReload: () => void; onClose: () => void }

function Publishing({ tagged: { value: automation, etag: ifMatch }, isClosed, onReload, onClose }: PublishingProps) {
  const { id } = automation
  const client = useQueryClient()
  const [inside, setInside] = useState<Inside>('stay')
  const [map, setMap] = useState<Places>({})
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<SiteProblem>()
  const [isPublished, setPublished] = useState(false)
  const body: BodyOf<'POST /automations/{id}/publish-preview'> = inside === 'move' ? { inside, map } : { inside }
  const read = useQuery<AutomationPublishPreview, SiteProblem>({
    queryKey: ['preview of publishing', id, body, ifMatch],
    queryFn: ({ signal }) => site('POST /automations/{id}/publish-preview', { params: { id }, body, ifMatch, signal }),
    placeholderData: (before) => before,
    staleTime: 0,
  })
  const names = useNames(automation, read.data)
  const preview = names.areKnown ? read.data : undefined
  const isNothing = preview !== undefined && !isClosed && !preview.publishes && preview.people.inside === 0
  const fault = problem ?? read.error ?? undefined
  const isOutdated = isPublished || fault?.status === 412
  const publish = async (despiteScenarios = false) => {
    setBusy(true)
    setProblem(undefined)
    let isOut = false
    const onPublished = () => {
      isOut = true
    }
    try {
      await publishAsShown(automation, ifMatch, { body, isClosed, onPublished, despiteScenarios })
      await refresh(client, '/automations')
      say(isClosed ? 'It is in force: people may come in.' : 'The new version is in force.')
      onClose()
    } catch (error) {
      if (!isProblem(error)) throw error
      setProblem(error)
      setPublished(isOut)
      if (isOut) await refresh(client, '/automations')
    } finally {
      setBusy(false)
    }
  }
  return (
    <HalfWritten>
      <div className="form">
        {automation.pausedAt !== null && (
          <Notice tone="warn">
            It is paused, and stays so: until somebody resumes it nobody goes on, and none of its mail goes out.
          </Notice>
        )}
        {isClosed && <Notice>From now on people come in, and its mails go out by themselves.</Notice>}
        {preview !== undefined && preview.people.inside > 0 && (
          <Notice>
            <p role="status" aria-label="The next 24 hours" className={classes.nextDay}>
              {dayText(preview.nextDay)}
            </p>
          </Notice>
        )}
        {preview === undefined ? (
          read.error === null && <Loading rows={3} label="It is reckoned what that changes" />
        ) : (
          <Changes {...{ automation, preview, names, isNothing }} />
        )}
        {preview !== undefined && preview.people.inside > 0 && (
          <PublishPeople {...{ automation, preview, names, inside, setInside, map, setMap }} />
        )}
        {fault?.code === SCENARIOS_FAILED ? (
          <ScenariosFailed
            {...{ id, busy, onClose }}
            nameOf={names.now}
            problem={fault}
            onDespite={() => void publish(true)}
          />
        ) : (
          fault && (
            <PublishProblem
              problem={fault}
              definition={automation.definition}
              isPublished={isPublished}
              onReload={onReload}
            />
          )
        )}
        {(preview?.faults.length ?? 0) > 0 && (
          <Notice tone="warn">Not yet: choose first where those go on whose step is no more.</Notice>
        )}
        <div className="form-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="primary"
            busy={busy}
            disabled={preview === undefined || read.isFetching || preview.faults.length > 0 || isOutdated || isNothing}
            onClick={() => void publish()}
          >
            {actText(isClosed, inside, preview)}
          </Button>
        </div>
      </div>
    </HalfWritten>
  )
}

type Act = {
  body: BodyOf<'POST /automations/{id}/publish'>
  isClosed: boolean
  despiteScenarios: boolean
  onPublished: () => void
}

/** Puts in force what the tag stands for, or throws 412. */
async function publishAsShown({ id, publishedVersion }: Automation, ifMatch: string | undefined, act: Act) {
  const params = { id }
  const query = act.despiteScenarios ? { despiteScenarios: true } : {}
  if (publishedVersion === null) return site('POST /automations/{id}/activate', { params, query, ifMatch })
  await site('POST /automations/{id}/publish', { params, query, body: act.body, ifMatch })
  act.onPublished()
  if (!act.isClosed) return
  const { value, etag } = await siteTagged('GET /automations/{id}', { params })
  // A draft that was changed after that is not what was shown.
  const tag = value.draftChanged ? ifMatch : etag
  await site('POST /automations/{id}/activate', { params, ifMatch: tag })
}

type ProblemProps = { problem: SiteProblem; definition: Definition; isPublished: boolean; onReload: () => void }

function PublishProblem({ problem, definition, isPublished, onReload }: ProblemProps) {
  const isOfDefinition = problem.errors.some(({ pointer }) => pointer.startsWith('/definition'))
  if (isOfDefinition && !isPublished) {
    return (
      <div role="alert">
        <Notice tone="warn">
          <p>Not yet: this is to be mended first.</p>
          <ul className={classes.faults} aria-label="What is to be mended">
            {problem.errors.map((error) => (
              <li key={`${error.pointer} ${error.detail}`}>{placedText(placedFault(error), definition)}</li>
            ))}
          </ul>
        </Notice>
      </div>
    )
  }
  if (problem.status !== 412 && !isPublished) return <FormProblem problem={problem} />
  return (
    <div role="alert">
      <Notice
        tone="warn"
        actions={
          <Button small onClick={onReload}>
            Show it as it is now
          </Button>
        }
      >
        {isPublished
          ? 'The version is published, but nobody comes in yet.'
          : 'Somebody changed this automation after this was opened. Nothing of that is in force.'}
      </Notice>
      {problem.status !== 412 && <FormProblem problem={problem} />}
    </div>
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

type Names = {
  now: (node: string) => string
  was: (node: string) => string
  /** By what it does for those who stand there, in whichever version. */
  standing: (node: string) => string
  place: (node: string) => number
  /** Whether the draft or the version in force has it. */
  isThere: (node: string) => boolean
  areKnown: boolean
}

/** Steps by what they do, and by what they do in the version in force; one that is removed by the latter alone. */
function useNames({ id, definition, publishedVersion }: Automation, preview?: AutomationPublishPreview): Names {
  const versions = new Map(preview?.nodes.flatMap(({ node, version }) => (version === null ? [] : [[node, version]])))
  const older = useNamesOfVersions(id, [...new Set(versions.values())])
  const read = usePublished(id, publishedVersion)
  const published = read.data?.definition
  const referenceName = useReferenceNames([definition, published])
  const drafted = (node: string) => stepName(definition, node, referenceName)
  const inForce = (node: string) => stepName(published as Definition, node, referenceName)
  const isDrafted = (node: string) => Object.hasOwn(nodesOf(definition), node)
  const isInForce = (node: string) => published !== undefined && Object.hasOwn(nodesOf(published as Definition), node)
  const places = [definition, published].flatMap((one) => (one === undefined ? [] : stepsInOrder(one as Definition)))
  return {
    now: (node) => (isDrafted(node) || !isInForce(node) ? drafted(node) : inForce(node)),
    was: (node) => (isInForce(node) ? inForce(node) : drafted(node)),
    standing: (node) => older.of(versions.get(node) ?? 0).step(node),
    place: (node) => places.indexOf(node),
    isThere: (node) => isDrafted(node) || isInForce(node),
    areKnown: older.areKnown && areKnown(read),
  }
}

type ChangesProps = { automation: Automation; preview: AutomationPublishPreview; names: Names; isNothing: boolean }

function Changes({ automation, preview, names, isNothing }: ChangesProps) {
  const referenceName = useReferenceNames(automation.definition)
  if (automation.publishedVersion === null)
    return (
      <div>
        <p className="field-label">What comes into force</p>
        <FirstSteps
          definition={automation.definition}
          names={{ step: names.now, reference: referenceName }}
          label="Changes"
        />
      </div>
    )
  // At a step of an older version somebody may stand still: it is no change.
  const nodes = preview.nodes.filter(({ node }) => names.isThere(node))
  const lines = changesText({ ...preview, nodes }, names)
  return lines.length === 0 ? (
    <p className="soft">
      {isNothing ? 'Nothing to publish: it is as' : 'The steps stay as they are: this is'} version{' '}
      {automation.publishedVersion}, which is in force.
    </p>
  ) : (
    <Lines title={`What has changed since version ${automation.publishedVersion}`} lines={lines} />
  )
}

function Lines({ title, lines }: { title: string; lines: readonly string[] }) {
  return (
    <div>
      <p className="field-label">{title}</p>
      <ul className={classes.faults} aria-label="Changes">
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </div>
  )
}
