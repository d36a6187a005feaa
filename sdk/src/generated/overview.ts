// Written by `npm run docs` from the description of the API; `npm run check` holds it to that.
import type { Open, Options } from '../call.ts'
import type { MailCounts, MailPoint } from './shared.ts'

export type Overview = {
  /** The beginning of the first hour or day. */
  from: string
  /** Its end; the last hour or day may go beyond it. */
  to: string
  interval: Open<'hour' | 'day'>
  /** The zone of the days. */
  timeZone: string
  /** Without gaps, the oldest first. They sum up to `totals`. */
  series: Array<MailPoint>
  totals: MailCounts
  /** The same of the equally long time before `from`. */
  before: {
    /** Messages that a mail server or provider has accepted. */
    accepted: number
    /** Messages that failed for good. */
    failed: number
    /** Messages that came back. */
    bounced: number
    /** Messages that were reported as spam. */
    complained: number
    /** Messages opened by people, each counted once, when it was first opened. */
    openedByPeople: number
    /** Messages whose picture a machine fetched, likewise. */
    openedByMachines: number
    /** Messages with a link clicked by people, likewise. */
    clickedByPeople: number
    /** Messages with a link that a machine followed, likewise. */
    clickedByMachines: number
    /** Messages whose reader has unsubscribed through them. */
    unsubscribed: number
  }
}

export interface OverviewOperations {
  /** Read how mail goes. All mail of the workspace but tests, by hour (of 32 days at most) or day (of 400), and the sums of the time before for comparison. Without `from` the last 30 days. What people and what machines did is counted apart. Needs the scope `broadcasts:read`. */
  get(query?: {
    /** Taken back to the beginning of its hour or day. */
    from?: string
    /** Now when absent. */
    to?: string
    /** Absent: `day` of a workspace, `hour` of a broadcast. */
    interval?: 'hour' | 'day'
    /** The IANA zone whose days they are, UTC when absent. Hours are those of UTC. */
    timeZone?: string
  }, options?: Options): Promise<Overview>
}
