import { useEffect, useRef } from 'react'
import { countText } from '../../lib/format.ts'
import type { AutomationRun } from '../../lib/site-types.ts'
import { useSitePages } from '../../lib/use-site.ts'
import { useUrlState } from '../../lib/use-url-state.ts'
import { Button } from '../../ui/controls.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { FilterSelect } from '../../ui/filter-bar.tsx'
import { Link } from '../../ui/link.tsx'
import { Panel } from '../../ui/panel.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { ShowMore } from '../../ui/show-more.tsx'
import { Shown } from '../../ui/states.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { ContactName } from '../contacts/contact-link.tsx'
import { RUN_STATES, reasonText } from './automation-words.ts'
import classes from './automations.module.css'
import { type StepNames, useStepNames } from './step-names.ts'
import { StepOfVersion } from './step-of-version.tsx'

const RUNS_A_PAGE = 25
const POLL_MS = 5_000
const NO_FILTER = { node: '', state: '' }

/** Who is in it, or was, the newest first: everybody, or those at one step or in one state. */
export function AutomationRuns({ id, version }: { id: string; version: number | null }) {
  const names = useStepNames(id, version)
  const [url, setUrl] = useUrlState(NO_FILTER)
  const state = url.state in RUN_STATES ? (url.state as AutomationRun['state']) : undefined
  const query = { node: url.node || undefined, state, limit: RUNS_A_PAGE }
  const runs = useSitePages('GET /automations/{id}/runs', { params: { id }, query }, { pollMs: POLL_MS })
  const place = useRef<HTMLDivElement>(null)
  const isThere = runs.data !== undefined
  // Whoever comes from the number at a step is led to its people.
  useEffect(() => {
    if (isThere && url.node !== '') place.current?.scrollIntoView({ block: 'start' })
  }, [isThere, url.node])
  const older = names.node(url.node) === undefined ? runs.data?.find(({ node }) => node === url.node) : undefined
  const note = url.node !== '' && (
    <>At {older ? <StepOfVersion automationId={id} version={older.version} node={url.node} /> : names.step(url.node)}</>
  )
  return (
    <div ref={place}>
      <Panel
        title="Ways through it"
        flush
        note={note}
        actions={
          <>
            {(url.node !== '' || state !== undefined) && (
              <Button kind="quiet" small onClick={() => setUrl(NO_FILTER)}>
                Show all
              </Button>
            )}
            <FilterSelect
              label="State"
              value={url.state}
              onChange={(next) => setUrl({ state: next })}
              options={Object.entries(RUN_STATES).map(([value, { words }]) => ({ value, label: words }))}
            />
          </>
        }
      >
        <Shown read={runs} rows={4}>
          {(items) =>
            items.length === 0 ? (
              <div className={classes.empty}>
                {url.node === '' && state === undefined
                  ? 'Nobody has come in yet.'
                  : runs.more === undefined
                    ? 'Nobody fits.'
                    : 'Nobody fits among the newest.'}
                <ShowMore more={runs.more} label="Look further back" />
              </div>
            ) : (
              <>
                <DataTable
                  label={countText(items.length, 'way through it', 'ways through it')}
                  columns={columnsOf({ id, version, names })}
                  rows={items}
                  rowId={({ id: run }) => run}
                />
                <ShowMore more={runs.more} />
              </>
            )
          }
        </Shown>
      </Panel>
    </div>
  )
}

type Listed = { id: string; version: number | null; names: StepNames }

function columnsOf({ id, version, names }: Listed): Column<AutomationRun>[] {
  return [
    {
      id: 'person',
      head: 'Person',
      cell: (run) => (
        <Link to={`/automations/${id}/runs/${run.id}`}>
          <RunName run={run} />
        </Link>
      ),
    },
    {
      id: 'state',
      head: 'State',
      narrow: true,
      width: '150px',
      cell: ({ state }) => <StatusBadge tone={RUN_STATES[state].tone}>{RUN_STATES[state].words}</StatusBadge>,
    },
    {
      id: 'node',
      head: 'At',
      width: '220px',
      cell: (run) => {
        if (run.node === null) return <span className="soft none">–</span>
        if (run.version === version) return names.step(run.node)
        return <StepOfVersion automationId={id} version={run.version} node={run.node} />
      },
    },
    { id: 'why', head: 'Because', cell: (run) => <Because run={run} /> },
    { id: 'entered', head: 'Came in', width: '120px', cell: ({ enteredAt }) => <RelativeTime at={enteredAt} /> },
  ]
}

/** The person of a run, by name. */
export function RunName({ run: { contactId, id } }: { run: Pick<AutomationRun, 'contactId' | 'id'> }) {
  if (contactId === null) return <>Run {id}, of somebody who was erased</>
  return <ContactName contactId={contactId} />
}

function Because({ run: { error, reason, dueAt, endedAt } }: { run: AutomationRun }) {
  if (error !== null) return <>{error}</>
  if (reason !== null) return <>{reasonText(reason)}</>
  if (endedAt !== null || dueAt === null) return <span className="soft none">–</span>
  return (
    <>
      until <RelativeTime at={dueAt} absolute />
    </>
  )
}
