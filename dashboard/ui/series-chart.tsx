import { numberText } from '../lib/format.ts'
import classes from './series-chart.module.css'

export type Series = {
  name: string
  kind: 'bars' | 'line'
  tone: 'accent' | 'good' | 'bad' | 'machine'
  values: readonly number[]
}

type Props = {
  /** Says the finding. */
  title: string
  /** Names of the points, from left to right. */
  points: readonly string[]
  series: readonly Series[]
}

const WIDTH = 1_000
const HEIGHT = 200
const GAP = 0.28

/** Bars and lines over time, from zero, with their numbers as a table below. */
export function SeriesChart({ title, points, series }: Props) {
  const top = niceTop(Math.max(0, ...series.flatMap(({ values }) => values)))
  const y = (value: number) => HEIGHT - (value / top) * HEIGHT
  const step = WIDTH / Math.max(1, points.length)
  return (
    <figure className={classes.figure}>
      <figcaption className={classes.head}>
        <h2>{title}</h2>
        <ul className={classes.keys}>
          {series.map(({ name, tone, kind }) => (
            <li key={name}>
              <span className={classes.key} data-tone={tone} data-kind={kind} aria-hidden="true" />
              {name}
            </li>
          ))}
        </ul>
      </figcaption>
      <div className={classes.plot}>
        <ol className={classes.scale} aria-hidden="true">
          {[top, top / 2, 0].map((value) => (
            <li key={value}>{numberText(value)}</li>
          ))}
        </ol>
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`${title}. The numbers are in the table below.`}
        >
          {[0, HEIGHT / 2, HEIGHT].map((at) => (
            <line
              key={at}
              className={classes.grid}
              x1="0"
              x2={WIDTH}
              y1={at}
              y2={at}
              vectorEffect="non-scaling-stroke"
            />
          ))}
          {series.map(({ name, kind, tone, values }) =>
            kind === 'bars' ? (
              <g key={name} data-tone={tone} className={classes.bars}>
                {values.map((value, index) => (
                  <rect
                    key={points[index]}
                    x={step * (index + GAP / 2)}
                    width={step * (1 - GAP)}
                    y={y(value)}
                    height={Math.max(0, HEIGHT - y(value))}
                  >
                    <title>{`${points[index]}: ${numberText(value)} ${name.toLowerCase()}`}</title>
                  </rect>
                ))}
              </g>
            ) : (
              <polyline
                key={name}
                data-tone={tone}
                className={classes.line}
                vectorEffect="non-scaling-stroke"
                points={values.map((value, index) => `${step * (index + 0.5)},${y(value)}`).join(' ')}
              />
            ),
          )}
        </svg>
      </div>
      <ol className={classes.points} aria-hidden="true">
        {[points[0], points[Math.floor((points.length - 1) / 2)], points.at(-1)].map((point, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: three places, which stay
          <li key={index}>{point}</li>
        ))}
      </ol>
      <details className={classes.table}>
        <summary>As a table</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long table is scrolled by keys too */}
        <section tabIndex={0} aria-label={title}>
          <table>
            <thead>
              <tr>
                <th scope="col">When</th>
                {series.map(({ name }) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {points.map((point, index) => (
                <tr key={point}>
                  <th scope="row">{point}</th>
                  {series.map(({ name, values }) => (
                    <td key={name}>{numberText(values[index] ?? 0)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </details>
    </figure>
  )
}

/** The next round number, so that the scale has whole ones. */
export function niceTop(value: number): number {
  if (value <= 2) return 2
  const size = 10 ** Math.floor(Math.log10(value))
  const step = [1, 2, 4, 5, 10].find((one) => one * size >= value) ?? 10
  return Math.max(2, step * size)
}
