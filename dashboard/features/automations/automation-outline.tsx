import { useState } from 'react'
import { countText, dateTimeText, numberText } from '../../lib/format.ts'
import type { Automation, AutomationCounts } from '../../lib/site-types.ts'
import { Button } from '../../ui/controls.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Link } from '../../ui/link.tsx'
import { Panel } from '../../ui/panel.tsx'
import { EmptyState, Shown } from '../../ui/states.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import classes from './automations.module.css'
import { stepName } from './builder/step-name.ts'
import { flowOf } from './flow.ts'
import { type OutlineRow, outlineOf, tailText } from './flow-outline.ts'
import { MailNumbers } from './mail-numbers.tsx'
import { kindText, nodeText, wayText } from './node-words.ts'
import type { PeopleShown } from './people-shown.ts'
import { SpanSelect } from './people-shown-bar.tsx'
import { useReferenceNames } from './reference-names.ts'
import type { NameOf } from './rule-words.ts'
import { StepOfVersion, usePublished } from './step-of-version.tsx'

const STEP_PX = 22

type Sums = { entered: number; here: number; left: number; ended: number; parked: number }
type Props = { automation: Automation; counts: AutomationCounts; people: PeopleShown }

/**
 * The steps in the order in which people come to them, with who is at each: of the version chosen, with its people alone; else of
 * the one in force, or of the draft.
 */
export function AutomationOutline({ automation, counts, people }: Props) {
  const { id, publishedVersion } = automation
  const version = people.version || String(publishedVersion)
  const published = usePublished(id, publishedVersion === null ? null : version)
  const { definition } = published.data ?? automation
  const note = publishedVersion === null ? 'As it is being written' : `Version ${version}`
  return (
    <Panel
      title="Steps"
      note={`${people.version === '' ? note : `${note}, and its people alone${movedText(counts)}`}${sinceText(counts)}`}
      actions={publishedVersion !== null && <SpanSelect {...people} />}
      flush
    >
      {publishedVersion === null || published.data !== undefined ? (
        <Steps id={id} definition={definition} counts={counts} />
      ) : (
        <Shown read={published} rows={4}>
          {() => null}
        </Shown>
      )}
    </Panel>
  )
}

const sinceText = ({ since }: AutomationCounts) =>
  since === null ? '' : `; came, went on and ended since ${dateTimeText(since)}`

/** Of one version: who stands there and never came to a step. */
function movedText({ nodes }: AutomationCounts): string {
  const moved = nodes.reduce((sum, { movedIn }) => sum + movedIn, 0)
  return moved === 0 ? '' : `; ${numberText(moved)} of them came along from older ones`
}

function Steps({
  id,
  definition,
  counts,
}: {
  id: string
  definition: Record<string, unknown>
  counts: AutomationCounts
}) {
  const referenceName = useReferenceNames(definition)
  const [isPastShown, setPastShown] = useState(false)
  const rows = outlineOf(flowOf(definition), { ends: true })
  const sums = sumsOf(counts)
  const listed = new Set(rows.flatMap((row) => (row.is === 'node' ? [row.id] : [])))
  const gone = [...sums].filter(([node, { here, entered }]) => !listed.has(node) && here + entered > 0)
  if (rows.length === 0 && gone.length === 0) {
    return <EmptyState title="No steps">Whoever comes in is through at once.</EmptyState>
  }
  const older = gone
    .filter(([, { here }]) => isPastShown || here > 0)
    .map(([node]): Line => ({ key: `node ${node}`, depth: 0, is: 'gone', id: node, version: newestWith(counts, node) }))
  const past = gone.filter(([, { here }]) => here === 0).length
  return (
    <>
      <DataTable
        label="Steps"
        columns={columnsOf({
          id,
          counts,
          sums,
          referenceName,
          nameOf: (step) => stepName(definition, step, referenceName),
        })}
        rows={[...rows, ...older]}
        rowId={({ key }) => key}
      />
      {past > 0 && (
        <div className="panel-words">
          <Button small kind="quiet" aria-pressed={isPastShown} onClick={() => setPastShown(!isPastShown)}>
            {isPastShown ? 'Without steps of older versions' : `And ${countText(past, 'step')} of older versions`}
          </Button>
        </div>
      )}
    </>
  )
}

type Line = OutlineRow | { key: string; depth: number; is: 'gone'; id: string; version: number }

/** The newest version in which somebody stands at a step, or else came to it. */
function newestWith({ nodes }: AutomationCounts, node: string): number {
  const own = nodes.filter((one) => one.node === node)
  const standing = own.filter(({ here }) => here > 0)
  return Math.max(...(standing.length > 0 ? standing : own).map(({ version }) => version))
}

/**
 * Of all versions that are shown: people stand where they stand, whichever they came in by. Whom a publishing took along at the same step
 * came to it once, and went on from it when they left it; whom it took to another step went on from the one and came to the other. So
 * those who came are at every step the sum of the others.
 */
function sumsOf({ nodes }: AutomationCounts): Map<string, Sums> {
  const sums = new Map<string, Sums>()
  for (const [node, own] of Map.groupBy(nodes, (one) => one.node)) {
    const all = (name: keyof Sums | 'movedIn' | 'movedOut') => own.reduce((sum, one) => sum + one[name], 0)
    const along = Math.min(all('movedIn'), all('movedOut'))
    sums.set(node, {
      entered: all('entered') - along,
      here: all('here'),
      left: all('left') - along,
      ended: all('ended'),
      parked: all('parked'),
    })
  }
  return sums
}

type Listed = {
  id: string
  counts: AutomationCounts
  sums: ReadonlyMap<string, Sums>
  referenceName: NameOf
  nameOf: (id: string) => string
}

function columnsOf({ id, counts, sums, referenceName, nameOf }: Listed): Column<Line>[] {
  const sumOf = (line: Line) => ('id' in line ? sums.get(line.id) : undefined)
  const number = (name: 'entered' | 'left' | 'ended', head: string): Column<Line> => ({
    id: name,
    head,
    numeric: true,
    narrow: 'below',
    width: '90px',
    cell: (line) => ('id' in line ? numberText(sumOf(line)?.[name] ?? 0) : null),
  })
  return [
    { id: 'step', head: 'Step', cell: (line) => <Step {...{ id, line, counts, referenceName, nameOf }} /> },
    {
      id: 'here',
      head: 'Here now',
      numeric: true,
      narrow: 'below',
      width: '130px',
      cell: (line) => ('id' in line ? <Here id={id} node={line.id} sum={sumOf(line)} /> : null),
    },
    number('entered', 'Came'),
    number('left', 'Went on'),
    number('ended', 'Ended'),
  ]
}

function Here({ id, node, sum }: { id: string; node: string; sum: Sums | undefined }) {
  const { here = 0, parked = 0 } = sum ?? {}
  if (here === 0) return <span className="soft">0</span>
  return (
    <>
      <Link to={`/automations/${id}`} search={{ node }}>
        {numberText(here)}
      </Link>{' '}
      {parked > 0 && <StatusBadge tone="bad">{numberText(parked)} failed</StatusBadge>}
    </>
  )
}

function Step({ id, line, counts, referenceName, nameOf }: { line: Line } & Omit<Listed, 'sums'>) {
  return (
    <div className={classes.step} data-is={line.is} style={{ paddingInlineStart: line.depth * STEP_PX }}>
      {line.is === 'node' && (
        <>
          <span className={classes.kind}>{kindText(line.node)}</span>
          <span className="soft">{nodeText(line.node, referenceName)}</span>
        </>
      )}
      {line.is === 'way' && <span>{wayText(line.of, line.way, referenceName)}</span>}
      {line.is === 'gone' ? (
        <>
          <span className={classes.kind}>
            <StepOfVersion automationId={id} version={line.version} node={line.id} />
          </span>
          <span className="soft">Of an older version</span>
        </>
      ) : (
        tailText(line, nameOf)
      )}
      {'id' in line && (
        <span className={classes.mails}>
          <MailNumbers node={line.id} counts={counts} />
        </span>
      )}
    </div>
  )
}
