import type pg from 'pg'
import { registerGroups, step } from '../../server/platform/outbox/consumer.ts'
import type { ConsumerGroup } from '../../server/platform/outbox/consumer-group.ts'
import { IN_RANGE, queryRange } from '../../server/platform/outbox/range.ts'

/** Somebody who reads the log. `look` reads on once; 'busy' means that another one was at it. */
export type Reader = { name: string; look(): Promise<'looked' | 'busy'> }

export type RunningReaders = {
  /** Says that there may be something new. */
  ring(): void
  /** Waits until each reader, by name, has looked at what is there now. */
  look(): Promise<void>
  stop(): Promise<void>
}

/** Lets all readers read at the same time, each as soon as something may be new. */
export function startReaders(readers: readonly Reader[]): RunningReaders {
  const names = new Set(readers.map((reader) => reader.name))
  const lookedAt = new Map<string, number>()
  let rings = 0
  let stopped = false
  let bell = Promise.withResolvers<void>()
  let looked = Promise.withResolvers<void>()

  function ring(): void {
    rings++
    bell.resolve()
    bell = Promise.withResolvers()
  }

  async function run(reader: Reader): Promise<void> {
    while (!stopped) {
      const from = rings
      const next = bell.promise
      if ((await reader.look()) === 'looked') {
        lookedAt.set(reader.name, Math.max(from, lookedAt.get(reader.name) ?? 0))
        looked.resolve()
        looked = Promise.withResolvers()
      }
      if (from === rings) await next
    }
  }

  const running = Promise.all(readers.map(run))
  const failed = running.then(() => undefined)
  failed.catch(() => undefined)
  return {
    ring,
    async look() {
      ring()
      const from = rings
      while ([...names].some((name) => (lookedAt.get(name) ?? 0) < from)) {
        await Promise.race([looked.promise, failed])
      }
    },
    async stop() {
      stopped = true
      ring()
      await running
    },
  }
}

/** Four groups that write down what they read, in the order in which they read it. */
export async function recordingGroups(pool: pg.Pool): Promise<ConsumerGroup[]> {
  await pool.query(`create table seen (n bigint generated always as identity, consumer_group text not null,
    tx bigint not null, position bigint not null, subject text not null)`)
  const groups = ['persist', 'automations', 'webhooks', 'suppression'].map((group): ConsumerGroup => {
    return {
      group,
      handler: 'record',
      async handle(tx, range) {
        const statement = `insert into seen (consumer_group, tx, position, subject)
          select $6, tx, position, subject from ${IN_RANGE}`
        await queryRange(tx, range, { name: 'record', text: statement, values: [group] })
      },
    }
  })
  await registerGroups(pool, groups)
  return groups
}

/** A group as one process works for it, in stretches of at most `rowsMax()` rows. */
export function groupReader(pool: pg.Pool, group: ConsumerGroup, rowsMax: () => number): Reader {
  const fail = ({ error }: { error?: unknown }) => {
    if (error) throw error
  }
  const deps = { pool, onHandled: fail, onParked: fail }
  return {
    name: group.group,
    async look() {
      const { outcome } = await step(deps, group, { rowsMax: rowsMax(), attempts: 0 })
      return outcome === 'busy' ? 'busy' : 'looked'
    },
  }
}

export type Faults = { lost: string[]; doubled: string[]; unexpected: string[]; disordered: number }

/** Holds what a group wrote down against what was committed. */
export async function faultsOf(pool: pg.Pool, group: string, kept: ReadonlySet<string>): Promise<Faults> {
  const { rows } = await pool.query<{ subject: string; disordered: boolean | null }>(
    `select subject, (tx, position) <= (lag(tx) over read, lag(position) over read) as disordered
     from seen where consumer_group = $1 window read as (order by n)`,
    [group],
  )
  const subjects = rows.map((row) => row.subject)
  return { ...compare(subjects, kept), disordered: rows.filter((row) => row.disordered).length }
}

export function compare(seen: readonly string[], kept: ReadonlySet<string>): Omit<Faults, 'disordered'> {
  const times = new Map<string, number>()
  for (const label of seen) times.set(label, (times.get(label) ?? 0) + 1)
  return {
    lost: [...kept].filter((label) => !times.has(label)),
    doubled: [...times].filter(([, count]) => count > 1).map(([label]) => label),
    unexpected: [...times.keys()].filter((label) => !kept.has(label)),
  }
}
