import { useState } from 'react'
import { useCan } from '../../lib/permissions.ts'
import type { AutomationRunStep, AutomationRunTrace } from '../../lib/site-types.ts'
import { useAct, useSite } from '../../lib/use-site.ts'
import { usePathId } from '../../lib/use-url-state.ts'
import { AsCurl } from '../../ui/as-curl.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Button } from '../../ui/controls.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { RefreshIcon } from '../../ui/icons.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Fact, Facts, Panel } from '../../ui/panel.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { Shown } from '../../ui/states.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { say, sayProblem } from '../../ui/toasts.tsx'
import { ContactLink } from '../contacts/contact-link.tsx'
import { contactName } from '../contacts/contact-name.ts'
import { RunName } from './automation-runs.tsx'
import { RUN_STATES } from './automation-words.ts'
import classes from './automations.module.css'
import { StepSeen } from './explain/step-seen.tsx'
import { endedText, movedAt, movedText, movedTo, wentText } from './explain/went-words.ts'
import { type NamesOfVersions, useNamesOfVersions, versionsOf } from './names-of-versions.ts'
import type { StepNames } from './step-names.ts'

const POLL_MS = 5_000

/** One person's way through an automation: each step with when, by which way and why, and what comes next. */
export default function RunPage() {
  const params = { id: usePathId('automationId'), runId: usePathId('runId') }
  const run = useSite('GET /automations/{id}/runs/{runId}', { params }, { pollMs: POLL_MS })
  const names = useNamesOfVersions(params.id, versionsOf(run.data ? [run.data] : []))
  return (
    <Shown read={run} when={run.data !== undefined && names.areKnown}>
      {(found) => <Trace automationId={params.id} run={found} names={names} />}
    </Shown>
  )
}

type TraceProps = { automationId: string; run: AutomationRunTrace; names: NamesOfVersions }

function Trace({ automationId, run, names }: TraceProps) {
  const { id, state, node, reason, error, enteredAt, endedAt, dueAt, version, steps } = run
  const params = { id: automationId, runId: id }
  const automation = useSite('GET /automations/{id}', { params: { id: automationId } })
  const here = names.of(version)
  const { contactId } = run
  const contact = useSite(
    'GET /contacts/{contactId}',
    { params: { contactId: contactId ?? '' } },
    { enabled: contactId !== null },
  )
  return (
    <>
      <PageHeader
        title={contact.data ? contactName(contact.data) : 'One person’s way'}
        back={{ to: `/automations/${automationId}`, label: automation.data?.name ?? 'The automation' }}
        badge={<StatusBadge tone={RUN_STATES[state].tone}>{RUN_STATES[state].words}</StatusBadge>}
        actions={
          <>
            <AsCurl operation="GET /automations/{id}/runs/{runId}" params={params} />
            <RunActs automationId={automationId} run={run} />
          </>
        }
      >
        {`The way through ${automation.data?.name ?? 'it'}, step by step, with what decided.`}
      </PageHeader>
      <div className={classes.sections}>
        {error !== null && (
          <Notice tone="bad">
            It failed at “{node === null ? 'the entry' : here.step(node)}”: {error}
          </Notice>
        )}
        <Panel title="The person">
          <Facts>
            <Fact name="Person">
              {run.contactId === null ? <RunName run={run} /> : <ContactLink contactId={run.contactId} />}
            </Fact>
            <Fact name="Came in">
              <RelativeTime at={enteredAt} absolute />
            </Fact>
            <Fact name="Version">{version}</Fact>
            {endedAt === null ? (
              <Fact name="Stands at">
                {node === null ? '–' : here.step(node)}{' '}
                {dueAt !== null && (
                  <>
                    until <RelativeTime at={dueAt} absolute />
                  </>
                )}
              </Fact>
            ) : (
              <Fact name="Ended">
                <RelativeTime at={endedAt} absolute />{' '}
                {reason !== null && `because ${endedText(reason, steps.at(-1)?.event)}`}
              </Fact>
            )}
          </Facts>
        </Panel>
        <Panel title="Step by step" flush>
          {steps.length === 0 ? (
            <p className="soft panel-words">
              They have come to no step{state === 'held_out' && ': they are held out'}.
            </p>
          ) : (
            <DataTable
              label="Step by step"
              columns={columnsOf(names, run)}
              rows={steps}
              rowId={({ visit }) => String(visit)}
            />
          )}
        </Panel>
      </div>
    </>
  )
}

/** Retrying what failed, and having somebody leave wherever they stand. */
function RunActs({ automationId, run }: { automationId: string; run: AutomationRunTrace }) {
  const can = useCan()
  const [asks, setAsks] = useState(false)
  const changes = ['/automations']
  const retry = useAct('POST /automations/{id}/runs/{runId}/retry', { changes })
  const exit = useAct('POST /automations/{id}/runs/{runId}/exit', { changes })
  if (!can('automations:activate') || run.endedAt !== null) return null
  const params = { id: automationId, runId: run.id }
  return (
    <>
      <Button onClick={() => setAsks(true)}>Have them leave</Button>
      {run.state === 'parked' && (
        <Button
          kind="primary"
          icon={RefreshIcon}
          busy={retry.isPending}
          onClick={() => retry.mutateAsync({ params }).then(() => say('It is tried again.'), sayProblem)}
        >
          Try again
        </Button>
      )}
      <ConfirmDialog
        title="Have this person leave"
        opened={asks}
        onClose={() => setAsks(false)}
        action="Have them leave"
        danger
        onConfirm={() => exit.mutateAsync({ params })}
      >
        <p>Their way ends here. Mail of it that has not gone out is taken back.</p>
      </ConfirmDialog>
    </>
  )
}

const columnsOf = (names: NamesOfVersions, run: AutomationRunTrace): Column<AutomationRunStep>[] => [
  { id: 'node', head: 'Step', cell: ({ node, visit, version }) => stepText(names.of(version), node, visit) },
  { id: 'way', head: 'Went', narrow: true, cell: (step) => wayText(names, run, step) },
  { id: 'came', head: 'Came', width: '185px', cell: ({ cameAt }) => <RelativeTime at={cameAt} absolute /> },
  {
    id: 'left',
    head: 'Went on',
    width: '185px',
    narrow: 'below',
    cell: (step) => <RelativeTime at={movedTo(run, step) === undefined ? step.leftAt : movedAt(step)} absolute />,
  },
  {
    id: 'seen',
    head: 'What decided',
    narrow: 'below',
    cell: (step) => <StepSeen step={step} names={names.of(step.version)} />,
  },
]

function wayText(names: NamesOfVersions, run: AutomationRunTrace, step: AutomationRunStep): string {
  const version = movedTo(run, step)
  return version === undefined ? wentText(names.of(step.version), step) : movedText(names.of(version), step, version)
}

function stepText(names: StepNames, node: string | null, visit: number): string {
  if (node !== null) return names.step(node)
  return visit === 0 ? 'The entry' : '–'
}
