import { type Static, Type } from 'typebox'
import { answer, closed, oneOf, Timestamp } from '../../platform/schema/schemas.ts'

export const INTERVALS = ['hour', 'day'] as const
export type Interval = (typeof INTERVALS)[number]

const count = (description: string) => Type.Integer({ description, examples: [0] })

const counts = {
  accepted: count('Messages that a mail server or provider has accepted.'),
  failed: count('Messages that failed for good.'),
  bounced: count('Messages that came back.'),
  complained: count('Messages that were reported as spam.'),
  openedByPeople: count('Messages opened by people, each counted once, when it was first opened.'),
  openedByMachines: count('Messages whose picture a machine fetched, likewise.'),
  clickedByPeople: count('Messages with a link clicked by people, likewise.'),
  clickedByMachines: count('Messages with a link that a machine followed, likewise.'),
  unsubscribed: count('Messages whose reader has unsubscribed through them.'),
}

/** Mail of a span of time by what became of it. */
export const MailCounts = answer('MailCounts', counts)
export type MailCounts = Static<typeof MailCounts>

export const MailPoint = answer('MailPoint', {
  at: Type.String({ ...Timestamp, description: 'The beginning of the hour or day.' }),
  ...counts,
})

const series = Type.Array(MailPoint, { description: 'Without gaps, the oldest first. They sum up to `totals`.' })
const span = {
  from: Type.String({ ...Timestamp, description: 'The beginning of the first hour or day.' }),
  to: Type.String({ ...Timestamp, description: 'Its end; the last hour or day may go beyond it.' }),
  interval: oneOf(INTERVALS),
  timeZone: Type.String({ description: 'The zone of the days.', examples: ['UTC'] }),
}

export const Overview = answer('Overview', {
  ...span,
  series,
  totals: MailCounts,
  before: Type.Object(counts, { description: 'The same of the equally long time before `from`.' }),
})
export type Overview = Static<typeof Overview>

export const MailSeries = answer('MailSeries', { ...span, series, totals: MailCounts })
export type MailSeries = Static<typeof MailSeries>

export const SeriesQuery = closed({
  from: Type.Optional(Type.String({ ...Timestamp, description: 'Taken back to the beginning of its hour or day.' })),
  to: Type.Optional(Type.String({ ...Timestamp, description: 'Now when absent.' })),
  interval: Type.Optional(oneOf(INTERVALS, { description: 'Absent: `day` of a workspace, `hour` of a broadcast.' })),
  timeZone: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'The IANA zone whose days they are, UTC when absent. Hours are those of UTC.',
      examples: ['Europe/Berlin'],
    }),
  ),
})
export type SeriesQuery = Static<typeof SeriesQuery>
