import type pg from 'pg'
import { ensurePartitions } from '../../platform/db/partitions.ts'
import { DAY_MS } from '../../platform/durations.ts'
import {
  appendBrowserEventsStatement,
  BROWSER_ID_DAYS,
  BROWSER_IDS_KEEP_DAYS,
  type BrowserEvent,
} from './append-browser-events.ts'
import { createWriter, type IntakeWriter } from './intake-writer.ts'
import { appendRecordedEventsStatement, OUTBOX_PARTITIONS } from './queries.ts'
import type { RecordedEvent } from './recorded-event.ts'

type Deps = {
  sql: pg.Pool
  /** Called after each commit with the number of events in it. */
  onCommitted: (events: number) => void
}

/** The intake of servers' events. */
export function createIntakeWriter(deps: Deps): IntakeWriter<RecordedEvent> {
  const makeRoom = (sql: pg.Pool) => ensurePartitions(sql, OUTBOX_PARTITIONS)
  return createWriter({ ...deps, append: appendRecordedEventsStatement, makeRoom })
}

/** The intake of browsers' events, with commits of its own: what it does more is nothing that servers wait for. */
export function createBrowserIntake(deps: Deps): IntakeWriter<BrowserEvent> {
  return createWriter({
    ...deps,
    append: appendBrowserEventsStatement,
    async makeRoom(sql) {
      await ensurePartitions(sql, OUTBOX_PARTITIONS)
      await ensurePartitions(sql, BROWSER_ID_DAYS, new Date(Date.now() - BROWSER_IDS_KEEP_DAYS * DAY_MS))
    },
  })
}
