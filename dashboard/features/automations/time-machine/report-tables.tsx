import { countText, dateTimeText, numberText, shareText } from '../../../lib/format.ts'
import type { Automation, AutomationOverlap, AutomationSimulatedTrace } from '../../../lib/site-types.ts'
import { type Column, DataTable } from '../../../ui/data-table.tsx'
import { Link } from '../../../ui/link.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { ContactLink } from '../../contacts/contact-link.tsx'
import { skipText } from '../automation-words.ts'
import { stepName } from '../builder/step-name.ts'
import { flowOf } from '../flow.ts'
import { type OutlineRow, outlineOf, tailText } from '../flow-outline.ts'
import { kindText, namedNode, nodeText, wayText } from '../node-words.ts'
import { useReferenceNames } from '../reference-names.ts'
import type { NameOf } from '../rule-words.ts'
import { endText, type Outcome, type Report } from './replay-words.ts'
import classes from './time-machine.module.css'

const STEP_PX = 22

/** Each step of the draft with who would have come to it and went which way, beside the version in force. */
export function ReplaySteps({
  automation,
  draft,
  live,
}: {
  automation: Automation
  draft: Outcome
  live: Outcome | null
}) {
  const nameOf = useReferenceNames(automation.definition)
  const rows = outlineOf(flowOf(automation.definition), { ends: true })
  if (rows.length === 0) return null
  return (
    <Panel title="Steps" note="Of the draft as it is now" flush>
      <DataTable
        label="Steps of the replay"
        columns={stepColumns({
          ...{ draft, live, nameOf },
          stepOf: (step) => stepName(automation.definition, step, nameOf),
        })}
        rows={rows}
        rowId={({ key }) => key}
      />
    </Panel>
  )
}

type Stepping = { draft: Outcome; live: Outcome | null; nameOf: NameOf; stepOf: (id: string) => string }

function stepColumns({ draft, live, nameOf, stepOf }: Stepping): Column<OutlineRow>[] {
  const nodeIn = ({ nodes }: Outcome, id: string) => nodes.find(({ node }) => node === id)
  const cameIn = (outcome: Outcome, row: OutlineRow) => {
    if (row.is === 'node') return nodeIn(outcome, row.id)?.entered ?? 0
    if (row.is !== 'way') return undefined
    const [, id = ''] = row.key.split(' ')
    return nodeIn(outcome, id)?.ways.find(({ way }) => way === row.way)?.count ?? 0
  }
  const shown = (value: number | undefined) => (value === undefined ? null : numberText(value))
  return [
    { id: 'step', head: 'Step', cell: (row) => <Step {...{ row, nameOf, stepOf }} /> },
    { id: 'came', head: 'Came', numeric: true, narrow: true, width: '100px', cell: (row) => shown(cameIn(draft, row)) },
    ...(live === null
      ? []
      : [
          {
            ...{ id: 'live', head: 'In force', numeric: true, narrow: 'below' as const, width: '100px' },
            cell: (row: OutlineRow) => {
              const came = shown(cameIn(live, row))
              return came && <span className="soft">{came}</span>
            },
          },
        ]),
    {
      ...{ id: 'mails', head: 'Mails', numeric: true, narrow: 'below', width: '100px' },
      cell: (row) => {
        if (row.is !== 'node') return null
        if (row.node.type === 'notify') return `${numberText(nodeIn(draft, row.id)?.notices ?? 0)} to the team`
        return row.node.type === 'email' ? shown(nodeIn(draft, row.id)?.mails ?? 0) : null
      },
    },
    {
      ...{ id: 'skipped', head: 'Not mailed', narrow: 'below', width: '220px' },
      cell: (row) =>
        row.is === 'node' &&
        (nodeIn(draft, row.id)?.skipped ?? [])
          .map(({ reason, count }) => `${numberText(count)} ${skipText(reason)}`)
          .join(', '),
    },
  ]
}

function Step({ row, nameOf, stepOf }: { row: OutlineRow } & Pick<Stepping, 'nameOf' | 'stepOf'>) {
  return (
    <div className={classes.step} data-is={row.is} style={{ paddingInlineStart: row.depth * STEP_PX }}>
      {row.is === 'node' && (
        <>
          <span className={classes.kind}>{kindText(row.node)}</span>
          <span className="soft">{nodeText(row.node, nameOf)}</span>
        </>
      )}
      {row.is === 'way' && <span>{wayText(row.of, row.way, nameOf)}</span>}
      {tailText(row, stepOf)}
    </div>
  )
}

const OTHERS: readonly Column<AutomationOverlap>[] = [
  {
    id: 'name',
    head: 'Broadcast or automation',
    cell: ({ kind, id, name }) =>
      name === null ? (
        <span className="soft">{kind === 'broadcast' ? 'A broadcast' : 'An automation'} that is no more</span>
      ) : (
        <Link to={kind === 'broadcast' ? `/broadcasts/${id}` : `/automations/${id}`}>{name}</Link>
      ),
  },
  { id: 'people', head: 'Of these people', numeric: true, width: '130px', cell: ({ people }) => numberText(people) },
  { id: 'mails', head: 'Mails', numeric: true, width: '90px', cell: ({ mails }) => numberText(mails) },
  {
    ...{ id: 'day', head: 'Within a day', numeric: true, narrow: true, width: '120px' },
    cell: ({ withinDay }) => numberText(withinDay),
  },
]

/** Everything else that mails the same people. */
export function OtherMail({ others, perWeek }: Pick<Report, 'others' | 'perWeek'>) {
  return (
    <Panel title="Together with other mail" flush={others.length > 0}>
      <p className={others.length > 0 ? classes.lead : undefined}>
        Together with all other mail, the person with the most gets {countText(perWeek.max, 'mail')} within seven days;
        half of these people get {perWeek.p50} or fewer, 95 of 100 get {perWeek.p95} or fewer.
        {others.length === 0 && ' Nothing else reached them in that time.'}
      </p>
      {others.length > 0 && (
        <DataTable label="Other mail" columns={OTHERS} rows={others} rowId={({ kind, id }) => `${kind} ${id}`} />
      )}
    </Panel>
  )
}

type Traced = { automation: Automation; traces: readonly AutomationSimulatedTrace[]; entered: number }

/** The ways that most have gone, with somebody on each. */
export function ReplayTraces({ automation, traces, entered }: Traced) {
  const { nodes } = flowOf(automation.definition)
  const referenceName = useReferenceNames(automation.definition)
  const nameOf = (id: string) => {
    const node = nodes.get(id)
    return node ? namedNode(node, referenceName) : id
  }
  return (
    <Panel title="The most common ways">
      <ol className={classes.traces}>
        {traces.map(({ runs, contactId, entryKey, enteredAt, end, steps }) => (
          <li key={`${contactId} ${entryKey} ${enteredAt}`}>
            <details>
              <summary>
                <strong>{shareText(runs, entered)}</strong> {countText(runs, 'time')}:{' '}
                {steps
                  .filter(({ next }) => next !== null)
                  .map(({ next }) => nameOf(next ?? ''))
                  .join(' → ') || 'straight to the end'}
                , {end === null ? 'and not at an end by then' : endText(end)}
              </summary>
              <p className={classes.person}>
                <ContactLink contactId={contactId} />
                <span className="soft">came in {dateTimeText(enteredAt)}</span>
              </p>
              <ul>
                {steps.map(({ node, way, leftAt }) => (
                  <li key={`${leftAt} ${node} ${way}`}>
                    {dateTimeText(leftAt)}: {node === '' ? 'the entry' : nameOf(node)}
                    {way === 'to' || way === 'entered' ? '' : `, by “${wayNamed(nodes, node, way)}”`}
                  </li>
                ))}
              </ul>
            </details>
          </li>
        ))}
      </ol>
    </Panel>
  )
}

function wayNamed(nodes: ReturnType<typeof flowOf>['nodes'], id: string, way: string): string {
  const node = nodes.get(id)
  return node && !way.startsWith('exit:') ? wayText(node, way) : way.replace(/^exit:/, '')
}
