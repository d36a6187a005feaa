import { useEffect, useState } from 'react'
import { countText } from '../../../lib/format.ts'
import { lazyPart, usePartsHere } from '../../../lib/load-part.ts'
import type { Tagged } from '../../../lib/site.ts'
import type { Automation } from '../../../lib/site-types.ts'
import { useOnceKnown } from '../../../lib/use-known.ts'
import { useUrlState } from '../../../lib/use-url-state.ts'
import { Button, IconButton } from '../../../ui/controls.tsx'
import { Drawer } from '../../../ui/drawer.tsx'
import { FormProblem } from '../../../ui/form-problem.tsx'
import { ArrowBackIcon, ArrowForwardIcon, HistoryIcon, SearchIcon } from '../../../ui/icons.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { PageHeader } from '../../../ui/page-header.tsx'
import { SaveMark, SaveNotice } from '../../../ui/save-state.tsx'
import { Loading } from '../../../ui/states.tsx'
import { StatusBadge } from '../../../ui/status-badge.tsx'
import { Tabs } from '../../../ui/tabs.tsx'
import { useIsNarrow } from '../../../ui/use-is-narrow.ts'
import { STATUSES } from '../automation-words.ts'
import { END } from '../flow.ts'
import type { Place } from '../flow-tree.ts'
import { usePeopleShown } from '../people-shown.ts'
import { scenarioFaultText } from '../scenarios/scenario-faults.ts'
import { useScenarios } from '../scenarios/use-scenarios.ts'
import classes from './builder.module.css'
import { targetOf } from './edit-flow.ts'
import { EditOutline } from './edit-outline.tsx'
import { placedText } from './fault-words.ts'
import { focusRow } from './focus-row.ts'
import { LiveTestButton } from './live-test.tsx'
import { ENTER_KEY, SETTINGS_KEY, stepKey } from './outline-rows.ts'
import { PublishButton } from './publish-button.tsx'
import { SidePanel } from './side-panel.tsx'
import { StepChooser } from './step-chooser.tsx'
import { type Builder as BuilderModel, useBuilder } from './use-builder.ts'
import { useFindKey } from './use-find-key.ts'
import { useSteps } from './use-steps.ts'

const VIEW_LOADING = <Loading rows={6} label="This view is loading" />
const Canvas = lazyPart(() => import('./canvas.tsx'), VIEW_LOADING)
const DraftHistory = lazyPart(() => import('./draft-history.tsx'))
const FindStep = lazyPart(() => import('./find-step.tsx'))
const RemoveDialog = lazyPart(() => import('./remove-dialog.tsx'))
const PeopleShownBar = lazyPart(async () => ({ default: (await import('../people-shown-bar.tsx')).PeopleShownBar }))
const BAR = [PeopleShownBar]
const ScenariosView = lazyPart(
  async () => ({
    default: (await import('../scenarios/scenarios-view.tsx')).ScenariosView,
  }),
  VIEW_LOADING,
)
const POLL_MS = 5_000
const VIEWS = [
  { view: '', label: 'Outline' },
  { view: 'canvas', label: 'Canvas' },
  { view: 'scenarios', label: 'Scenarios' },
]

/** The steps beside the form of the one that is chosen; everything saves itself, and can be taken back. */
export function Builder({ tagged }: { tagged: Tagged<Automation> }) {
  const { id } = tagged.value
  const [{ at, view, history }, setUrl] = useUrlState({ at: '', view: '', history: '' })
  const builder = useBuilder(tagged, at)
  const { draft } = builder
  const [adding, setAdding] = useState<Place>()
  const [isFinding, setFinding] = useState(false)
  const [removing, setRemoving] = useState<string>()
  const isNarrow = useIsNarrow()
  // On a phone the form is a layer, which Back closes.
  const [beside, setBeside] = useState<string>()
  const choose = (key: string) => {
    setBeside(undefined)
    setUrl({ at: key }, { replace: !isNarrow || at !== '' })
  }
  // A form that stood beside is no layer over what is open when the window shrinks, before it is chosen again.
  useEffect(() => {
    if (!isNarrow) setBeside(at)
  }, [isNarrow, at])
  // The layer has the focus then.
  const focus = isNarrow ? () => undefined : focusRow
  const steps = useSteps(builder, { choose, add: setAdding, askRemove: setRemoving, focus })
  const scenarios = useScenarios(builder)
  const shown = isNarrow && view === 'canvas' ? '' : view
  const showStep = (node: string) =>
    setUrl({ view: isNarrow ? '' : 'canvas', at: node === '' ? ENTER_KEY : stepKey(node) })
  const people = usePeopleShown(id, POLL_MS)
  // The bar and the numbers would move the steps by coming later.
  const areStepsInPlace = useOnceKnown(usePartsHere(BAR) && people.isKnown)
  const { status, publishedVersion } = tagged.value
  const find = shown !== 'scenarios' && builder.tree.steps.length > 0 ? () => setFinding(true) : undefined
  useUndoKeys(builder)
  useFindKey(find)
  const panel = (key: string) => <SidePanel key={key} at={key} builder={builder} steps={steps} />
  return (
    <>
      <PageHeader
        title={draft.value.name}
        back={{ to: `/automations/${id}`, label: 'Who is in it' }}
        badge={<StatusBadge tone={STATUSES[status].tone}>{STATUSES[status].words}</StatusBadge>}
        actions={
          <>
            <SaveMark state={draft.state} />
            <IconButton label="Find a step (/)" icon={SearchIcon} disabled={!find} onClick={find} />
            <IconButton label="Undo" icon={ArrowBackIcon} disabled={!builder.undo} onClick={builder.undo} />
            <IconButton label="Redo" icon={ArrowForwardIcon} disabled={!builder.redo} onClick={builder.redo} />
            <Button
              kind="quiet"
              icon={HistoryIcon}
              onClick={async () => {
                if (await draft.flush()) setUrl({ history: 'open' }, { replace: true })
              }}
            >
              History
            </Button>
            <LiveTestButton builder={builder} />
            <PublishButton automation={{ ...tagged.value, definition: builder.definition }} flush={draft.flush} />
          </>
        }
      />
      <div className={classes.notices}>
        <SaveNotice state={draft.state} isRestored={draft.isRestored} onResolve={(as) => void draft.resolve(as)} />
        {draft.state.is === 'refused' && draft.state.problem.status !== 422 && (
          <FormProblem problem={draft.state.problem} />
        )}
        <Faults builder={builder} choose={choose} />
        {builder.scenarioFaults.length > 0 && (
          <Notice tone="warn">
            <p>
              {countText(builder.scenarioFaults.length, 'thing')} to mend in the scenarios before this is saved on the
              server.
            </p>
            <ul className={classes.faults} aria-label="What is to be mended in scenarios">
              {builder.scenarioFaults.map((fault) => (
                <li key={`${fault.pointer} ${fault.detail}`}>{scenarioFaultText(fault, draft.value.scenarios)}</li>
              ))}
            </ul>
          </Notice>
        )}
      </div>
      <div className={classes.columns} data-single={shown === 'scenarios' || undefined}>
        <div className={classes.views}>
          <Tabs
            label="Views of the steps"
            tabs={VIEWS.filter((one) => !isNarrow || one.view !== 'canvas').map((one) => ({
              label: one.label,
              to: `/automations/${id}/edit`,
              search: {
                ...{ view: one.view || undefined, at: at || undefined },
                ...{ version: people.version || undefined, last: people.last || undefined },
              },
              current: shown === one.view,
            }))}
          />
          {publishedVersion !== null && shown !== 'scenarios' && areStepsInPlace && (
            <PeopleShownBar id={id} people={people} />
          )}
          {shown === 'scenarios' ? (
            <ScenariosView builder={builder} scenarios={scenarios} onStep={showStep} />
          ) : !areStepsInPlace ? (
            VIEW_LOADING
          ) : shown === 'canvas' ? (
            <Canvas
              builder={builder}
              steps={steps}
              counts={people.counts}
              at={at || ENTER_KEY}
              failing={scenarios.failing}
            />
          ) : (
            <EditOutline builder={builder} steps={steps} counts={people.counts} at={at || ENTER_KEY} />
          )}
        </div>
        {!isNarrow && shown !== 'scenarios' && <div className={classes.beside}>{panel(at || ENTER_KEY)}</div>}
      </div>
      {isNarrow && shown !== 'scenarios' && at !== '' && at !== beside && (
        <Drawer title="This step" opened onClose={() => choose('')}>
          {panel(at)}
        </Drawer>
      )}
      {adding && (
        <StepChooser
          isLast={adding.edges.every((edge) => targetOf(builder.definition, edge) === END)}
          onClose={() => {
            setAdding(undefined)
            focusRow(at || ENTER_KEY)
          }}
          onChoose={(kind) => {
            setAdding(undefined)
            steps.insert(adding, kind)
          }}
        />
      )}
      {isFinding && (
        <FindStep
          builder={builder}
          onClose={() => {
            setFinding(false)
            focusRow(at || ENTER_KEY)
          }}
          onChoose={(key) => {
            setFinding(false)
            choose(key)
            focus(key)
          }}
        />
      )}
      {removing && (
        <RemoveDialog id={removing} builder={builder} steps={steps} onClose={() => setRemoving(undefined)} />
      )}
      {history !== '' && <DraftHistory builder={builder} onClose={() => setUrl({ history: '' }, { replace: true })} />}
      <p className="visually-hidden" role="status">
        {builder.told}
      </p>
    </>
  )
}

/** What has to be mended, or filled in, before the server takes it: each leads to its step. */
function Faults({ builder, choose }: { builder: BuilderModel; choose: (key: string) => void }) {
  const { faults, open } = builder
  if (faults.length > 0) {
    return (
      <Notice tone="warn">
        <p>
          {countText(faults.length, 'thing')} to mend before this is saved on the server. Until then it is kept in this
          browser.
        </p>
        <FaultList label="What is to be mended" faults={faults} builder={builder} choose={choose} />
      </Notice>
    )
  }
  if (open.length === 0) return null
  return (
    <Notice>
      <p>Saved on the server once what is new is filled in. Until then it is kept in this browser.</p>
      <FaultList label="What is still to be filled in" faults={open} builder={builder} choose={choose} />
    </Notice>
  )
}

type Listed = { label: string; faults: BuilderModel['faults']; builder: BuilderModel; choose: (key: string) => void }

function FaultList({ label, faults, builder: { rows, definition }, choose }: Listed) {
  return (
    <ul className={classes.faults} aria-label={label}>
      {faults.map((fault) => {
        const { key, pointer, detail } = fault
        const known = rows.some((row) => row.key === key) || key === SETTINGS_KEY
        const words = placedText(fault, definition)
        return (
          <li key={`${key} ${pointer} ${detail}`}>
            {known ? (
              <button type="button" className={classes.faultLink} onClick={() => choose(key)}>
                {words}
              </button>
            ) : (
              words
            )}
          </li>
        )
      })}
    </ul>
  )
}

/** Ctrl or Cmd with Z and Y, where nobody is writing and no layer has a history of its own. */
function useUndoKeys({ undo, redo }: BuilderModel): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || isWriting(event.target)) return
      if (event.defaultPrevented || document.querySelector('[role=dialog]') !== null) return
      const key = event.key.toLowerCase()
      const run = key === 'y' || (key === 'z' && event.shiftKey) ? redo : key === 'z' ? undo : undefined
      if (!run) return
      event.preventDefault()
      run()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [undo, redo])
}

function isWriting(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA)$/.test(target.tagName))
}
