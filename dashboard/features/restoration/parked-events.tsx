import { wordsOf } from '../../lib/format.ts'
import type { System } from '../../lib/site-types.ts'
import { useAct } from '../../lib/use-site.ts'
import { Button } from '../../ui/controls.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { RefreshIcon } from '../../ui/icons.tsx'
import { Panel } from '../../ui/panel.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { say, sayProblem } from '../../ui/toasts.tsx'
import classes from './system.module.css'

type Parked = System['parked'][number]

const changes = ['/site/system']

/** Events that a reader of the log could not handle, why, and the way to hand them over again. */
export function ParkedEvents({ parked, total }: { parked: readonly Parked[]; total: number }) {
  const replay = useAct('POST /site/system/parked/replay', { changes })
  const tryAgain = (body: { group?: string; position?: string }) =>
    void replay
      .mutateAsync({ body })
      .then(() => say('Tried again. What fails once more stays here, with its error.'), sayProblem)
  if (parked.length === 0) return null
  return (
    <Panel
      title="Parked events"
      note={total > parked.length ? `the oldest ${parked.length} of ${total}` : 'nothing of them is lost'}
      flush
      actions={
        <Button small icon={RefreshIcon} busy={replay.isPending} onClick={() => tryAgain({})}>
          Try all again
        </Button>
      }
    >
      <DataTable
        label="Parked events"
        columns={columnsOf(tryAgain, replay.isPending)}
        rows={parked}
        rowId={({ group, position }) => `${group} ${position}`}
      />
    </Panel>
  )
}

const columnsOf = (tryAgain: (one: Pick<Parked, 'group' | 'position'>) => void, busy: boolean): Column<Parked>[] => [
  {
    id: 'event',
    head: 'Event',
    cell: ({ type, position }) => (
      <>
        {type ?? 'Gone from the log'} <span className="soft">#{position}</span>
      </>
    ),
  },
  { id: 'group', head: 'Reader', width: '120px', narrow: 'below', cell: ({ group }) => wordsOf(group) },
  {
    id: 'workspace',
    head: 'Workspace',
    width: '130px',
    narrow: 'below',
    cell: ({ workspace }) => workspace ?? 'Deleted',
  },
  {
    id: 'error',
    head: 'Why',
    width: '30%',
    narrow: 'below',
    cell: ({ error, waitsFor }) =>
      waitsFor === null ? <span className={classes.error}>{error}</span> : `Waits for ${wordsOf(waitsFor)}`,
  },
  {
    id: 'since',
    head: 'Since',
    width: '120px',
    narrow: 'below',
    cell: ({ parkedAt }) => <RelativeTime at={parkedAt} />,
  },
  {
    id: 'act',
    head: '',
    width: '110px',
    narrow: true,
    cell: ({ group, position }) => (
      <Button small busy={busy} onClick={() => tryAgain({ group, position })}>
        Try again
      </Button>
    ),
  },
]
