import { useState } from 'react'
import { dateTimeText, numberText } from '../../lib/format.ts'
import type { MailSeries } from '../../lib/site-types.ts'
import { useSite } from '../../lib/use-site.ts'
import { Button } from '../../ui/controls.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Shown } from '../../ui/states.tsx'
import classes from './report.module.css'

type Point = MailSeries['series'][number]

/** Opens of people hour by hour, as bars from zero, and the same as a table. */
export function ReportSeries({ id, pollMs }: { id: string; pollMs: number }) {
  const [isTable, setTable] = useState(false)
  const series = useSite('GET /broadcasts/{id}/series', { params: { id } }, { pollMs })
  return (
    <Panel
      title="Hour by hour"
      actions={
        <Button small kind="quiet" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
          {isTable ? 'As bars' : 'As a table'}
        </Button>
      }
    >
      <Shown read={series} rows={4}>
        {({ series: points, totals }) =>
          totals.openedByPeople + totals.clickedByPeople === 0 ? (
            <p className="soft">Nobody has opened it yet.</p>
          ) : isTable ? (
            <SeriesTable points={points} />
          ) : (
            <SeriesBars points={points} />
          )
        }
      </Shown>
    </Panel>
  )
}

const HEIGHT = 120
const WIDTH = 1_000
/** One hour is not as wide as a day. */
const BARS_MIN = 24

function SeriesBars({ points }: { points: readonly Point[] }) {
  const most = Math.max(
    1,
    ...points.flatMap(({ openedByPeople, clickedByPeople }) => [openedByPeople, clickedByPeople]),
  )
  // Where pictures are not fetched nobody is known to open it, and links are followed all the same.
  const told = points.some(({ openedByPeople }) => openedByPeople > 0) ? 'openedByPeople' : 'clickedByPeople'
  const best = points.reduce((top, point) => (point[told] > top[told] ? point : top), points[0]!)
  const width = WIDTH / Math.max(points.length, BARS_MIN)
  const heightOf = (count: number) => (count / most) * HEIGHT
  return (
    <figure className={classes.chart}>
      <figcaption>
        Most people {told === 'openedByPeople' ? 'opened it' : 'followed a link'} in the hour of {dateTimeText(best.at)}
        : {numberText(best[told])}.{told === 'openedByPeople' && ' Darker: they followed a link.'}
      </figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label="Opens and clicks by hour"
      >
        {points.map(({ at, openedByPeople, clickedByPeople }, index) => (
          <g key={at}>
            <title>{`${dateTimeText(at)}: ${openedByPeople} opened, ${clickedByPeople} clicked`}</title>
            <rect
              data-part="opened"
              x={index * width}
              y={HEIGHT - heightOf(openedByPeople)}
              width={Math.max(1, width - 1)}
              height={heightOf(openedByPeople)}
            />
            <rect
              data-part="clicked"
              x={index * width}
              y={HEIGHT - heightOf(clickedByPeople)}
              width={Math.max(1, width - 1)}
              height={heightOf(clickedByPeople)}
            />
          </g>
        ))}
      </svg>
      <div className={classes.axis}>
        <span>{dateTimeText(points[0]!.at)}</span>
        {points.length > 1 && <span>{dateTimeText(points.at(-1)!.at)}</span>}
      </div>
    </figure>
  )
}

function SeriesTable({ points }: { points: readonly Point[] }) {
  const rows = points.filter((point) => Object.values(point).some((value) => typeof value === 'number' && value > 0))
  const column = (name: keyof Omit<Point, 'at'>, head: string, narrow = false) => ({
    id: name,
    head,
    numeric: true,
    narrow,
    cell: (point: Point) => numberText(point[name]),
  })
  return (
    <DataTable
      label="Hour by hour"
      rows={rows}
      rowId={({ at }) => at}
      columns={[
        { id: 'at', head: 'Hour', cell: ({ at }) => dateTimeText(at) },
        column('accepted', 'Accepted'),
        column('openedByPeople', 'Opened', true),
        column('openedByMachines', 'Opened by machines'),
        column('clickedByPeople', 'Clicked', true),
        column('clickedByMachines', 'Clicked by machines'),
        column('unsubscribed', 'Unsubscribed'),
      ]}
    />
  )
}
