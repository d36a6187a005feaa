import type pg from 'pg'
import { publishVersion } from '../server/modules/automations/definition/publish-version.ts'
import { automationForChange, setSwitches } from '../server/modules/automations/definition/queries.ts'
import { dropListens } from '../server/modules/automations/definition/write-listens.ts'
import { enrollAutomations } from '../server/modules/automations/entry/enroll-automations.ts'
import { enrollContacts } from '../server/modules/automations/entry/enroll-contacts.ts'
import { placeComers } from '../server/modules/automations/entry/place-comers.ts'
import { putEntries } from '../server/modules/automations/entry/put-entries.ts'
import { RUN_SLOTS } from '../server/modules/automations/entry/slots.ts'
import { takeStretch } from '../server/modules/automations/run/take-stretch.ts'
import { persistEvent } from '../server/modules/events/persist-event.ts'
import { planMessages } from '../server/modules/sending/ledger/plan-messages.ts'
import { openStream } from '../server/modules/sending/streams.ts'
import { int8Array } from '../server/platform/db/arrays.ts'
import { inTransaction, queryInScope } from '../server/platform/db/transaction.ts'
import { RANGE_ROWS_MAX, registerGroups, step } from '../server/platform/outbox/consumer.ts'
import type { ConsumerGroup } from '../server/platform/outbox/consumer-group.ts'
import { send } from '../test/support/http-client.ts'
import { until } from '../test/support/instance.ts'
import { watched } from '../test/support/outbox-rows.ts'
import { callerOf } from '../test/support/workspace.ts'

const WORKSPACE_ID = '1'
const SLICE = 2_000
const MINUTE_MS = 60_000
const MATCHING = 10
const MAIL = { type: 'email', subject: 'Hello', body: '<p>{{ unsubscribe_url }}</p>', to: 'end' }

/** `rows`: those that were due, of which there may be some more than were asked for. */
export type Stepped = { rows: number; perSecond: number; longestMs: number }

/** Automations of workspace 1 whose turns the benchmark takes itself, with the clock in its hand. */
export class AutomationBench {
  readonly #pool: pg.Pool
  readonly #beganMs = Date.now()
  #people = 0

  constructor(pool: pg.Pool) {
    this.#pool = pool
  }

  /** Contacts, of whom a fifth have an event that branches ask for. */
  async fill(people: number): Promise<void> {
    this.#people = people
    await this.#rows(
      `insert into contacts (workspace_id, email, first_name)
       select 1, 'p' || n || '@example.com', (array['Ada', 'Grace', 'Alan'])[n % 3 + 1] from generate_series(1, $1::int) n`,
      [people],
    )
    await this.#rows(
      `insert into events (workspace_id, id, recorded_at, type, name, subject, contact_id, data, occurred_at)
       select 1, nextval('outbox_position'), now(), 'event.recorded', 'page.viewed', '', id, '{}', now()
       from contacts where workspace_id = 1 and id % 5 = 0`,
    )
    for (const table of ['contacts', 'events']) await this.#pool.query(`vacuum analyze ${table}`)
  }

  /** Published, with everybody at its first node, where they have looked for what came before. */
  async automation(nodes: Record<string, object>): Promise<string> {
    const id = await this.#publish(nodes)
    await inTransaction(this.#pool, WORKSPACE_ID, async (tx) => {
      const { rows } = await tx.query<{ id: string }>('select id from contacts order by id')
      const wanting = rows.map((contact) => ({ contactId: contact.id, depth: 0 }))
      await putEntries(tx, { workspaceId: WORKSPACE_ID, automationId: id }, { wanting, at: this.#at(0) })
    })
    await this.#take(id, { at: this.#at(0) })
    return id
  }

  /** Everybody goes on by one rest, or the first `most` of them do. */
  async step(id: string, most = this.#people): Promise<Stepped> {
    const stepped = await this.#take(id, { at: this.#at(2), most })
    if (stepped.rows < most) throw new Error(`${stepped.rows} of ${most} people went on`)
    return stepped
  }

  /** Rows a second of the runs of an automation, updated and nothing else. */
  async bareUpdates(id: string): Promise<number> {
    const runs = await this.#rows<{ id: string }>('select id from runs where automation_id = $1 order by id', [id])
    return this.#slices(runs, (tx, ids) =>
      tx.query({
        name: 'bench_bare_update',
        text: `update runs set node = node, visit = visit, at = at where workspace_id = 1 and id = any ($1::int8[]) returning *`,
        values: [int8Array(ids)],
      }),
    )
  }

  /** Messages a second of the same people, planned and nothing else. */
  async bareMails(id: string): Promise<number> {
    const people = await this.#rows<{ id: string }>('select id from contacts order by id')
    const source = { kind: 'automation', id } as const
    return this.#slices(people, async (tx, ids) => {
      const { streamId } = await openStream(tx, WORKSPACE_ID, source)
      const plan = {
        workspaceId: WORKSPACE_ID,
        source,
        purpose: 'marketing' as const,
        streamId,
        createdAt: this.#at(0),
      }
      await planMessages(
        tx,
        plan,
        ids.map((contactId) => ({ contactId, dueAt: null })),
      )
    })
  }

  /** Everybody enrolled by a segment, to their first wait; and their runs' rows inserted into a table of the same form. */
  async enrolling(): Promise<{ perSecond: number; bare: number }> {
    const id = await this.#publish({ last: { type: 'delay', days: 1, to: 'end' } })
    const [segment] = await this.#rows<{ id: string }>(
      `insert into segments (workspace_id, name, definition) values (1, 'Everybody', '{"rules":[]}') returning id`,
    )
    const startedMs = performance.now()
    const deps = { sql: this.#pool }
    await enrollContacts(deps, callerOf(WORKSPACE_ID), { id, body: { segmentId: segment!.id } })
    const never = new AbortController().signal
    await placeComers(this.#pool, { workspaceId: WORKSPACE_ID, automationId: id }, never)
    // They come in when they are asked, by the clock of the database, wherever that of the benchmark is.
    await this.#take(id, { at: new Date(Date.now() + MINUTE_MS).toISOString() })
    const perSecond = this.#rate(startedMs)
    const bareMs = await inTransaction(this.#pool, WORKSPACE_ID, async (tx) => {
      await tx.query('create temporary table bench_runs (like runs including all) on commit drop')
      const beganMs = performance.now()
      await tx.query('insert into bench_runs select * from runs where automation_id = $1', [id])
      return beganMs
    })
    return { perSecond, bare: this.#rate(bareMs) }
  }

  /** Has everybody wait for an event. */
  async waiting(): Promise<void> {
    await this.automation({
      w: { type: 'wait', for: [{ event: 'bench.paid', to: 'end' }], timeout: 'P1D', late: 'end' },
    })
  }

  /** Events a second that the group of automations handles, of which a tenth are waited for. */
  async groupRate(): Promise<number> {
    const id = await this.#publish({
      w: { type: 'wait', for: [{ event: 'bench.paid', to: 'end' }], timeout: 'P1D', late: 'end' },
    })
    await registerGroups(this.#pool, [persistEvent, enrollAutomations])
    await this.#readAll(persistEvent)
    await this.#readAll(enrollAutomations)
    await this.#rows(
      `insert into outbox (workspace_id, type, name, subject, contact_id, data, occurred_at)
       select 1, 'event.recorded', case when id % ${MATCHING} = 0 then 'bench.paid' else 'bench.other' end, '', id, '{}', now()
       from contacts where workspace_id = 1`,
    )
    await this.#readAll(persistEvent)
    const startedMs = performance.now()
    await this.#readAll(enrollAutomations)
    const perSecond = this.#rate(startedMs)
    await inTransaction(this.#pool, WORKSPACE_ID, (tx) => dropListens(tx, { workspaceId: WORKSPACE_ID, id }))
    return perSecond
  }

  /** How long after the answer to each of some events the mail it brings about is in the queue, the service at rest. */
  async mailsAfterEvents(door: { baseUrl: string; token: string; count: number }): Promise<number[]> {
    const emails = Array.from({ length: door.count }, (_, n) => `mail${n}@example.com`)
    const call = async (path: string, json: object) => {
      const answer = await send('POST', `${door.baseUrl}/api${path}`, { token: door.token, json })
      if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`)
      return answer.json
    }
    await call('/contacts/batch', { contacts: emails.map((email) => ({ email })) })
    const definition = { format: 1, enter: { on: [{ event: 'bench.mail' }] }, start: 'm', nodes: { m: MAIL } }
    const { id } = await call('/automations', { name: 'Mails', definition })
    await call(`/automations/${id}/activate`, {})
    const took: number[] = []
    for (const email of emails) {
      await call('/events', { events: [{ action: 'bench.mail', email }] })
      const answeredMs = performance.now()
      const isQueued = async () =>
        (await this.#rows('select from messages where destination = $1', [email])).length === 1
      await until('the mail', isQueued, MINUTE_MS)
      took.push(performance.now() - answeredMs)
    }
    return took
  }

  async #publish(nodes: Record<string, object>): Promise<string> {
    return inTransaction(this.#pool, WORKSPACE_ID, async (tx) => {
      const draft = { format: 1, enter: { on: [{ manual: true }] }, start: Object.keys(nodes)[0], nodes }
      const { rows } = await tx.query<{ id: string }>(
        `insert into automations (workspace_id, name, draft) values (1, 'Bench', $1) returning id`,
        [JSON.stringify(draft)],
      )
      const key = { workspaceId: WORKSPACE_ID, id: rows[0]!.id }
      const publishedVersion = await publishVersion(tx, key, (await automationForChange(tx, key))!)
      await setSwitches(tx, key, { publishedVersion, entryOpen: true })
      await tx.query(
        `update automation_lanes set state = 'running', job_id = gen_random_uuid(), turn = 1 where automation_id = $1`,
        [key.id],
      )
      return key.id
    })
  }

  /** Takes what is due by a moment, until nothing is or so many rows were: whoever comes in has to look as well, which is a row more. */
  async #take(
    automationId: string,
    { at, most = Number.POSITIVE_INFINITY }: { at: string; most?: number },
  ): Promise<Stepped> {
    const times = { clock: at, through: at }
    const startedMs = performance.now()
    let [rows, longestMs] = [0, 0]
    for (let took = 1; took > 0 && rows < most; rows += took) {
      took = 0
      for (let slot = 0; slot < RUN_SLOTS; slot++) {
        const stretchMs = performance.now()
        const turn = { workspaceId: WORKSPACE_ID, automationId, slot, turn: '1', jobId: '' }
        took += (await takeStretch(this.#pool, turn, { times })).rows
        longestMs = Math.max(longestMs, performance.now() - stretchMs)
      }
    }
    return { rows, perSecond: (rows * 1_000) / (performance.now() - startedMs), longestMs }
  }

  async #slices(
    of: readonly { id: string }[],
    work: (tx: Parameters<Parameters<typeof inTransaction>[2]>[0], ids: string[]) => Promise<unknown>,
  ): Promise<number> {
    const startedMs = performance.now()
    for (let from = 0; from < of.length; from += SLICE) {
      const ids = of.slice(from, from + SLICE).map(({ id }) => id)
      await inTransaction(this.#pool, WORKSPACE_ID, (tx) => work(tx, ids))
    }
    return this.#rate(startedMs)
  }

  async #readAll(group: ConsumerGroup): Promise<void> {
    const progress = { rowsMax: RANGE_ROWS_MAX, attempts: 0 }
    for (let outcome = 'moved'; outcome !== 'idle'; )
      outcome = (await step(watched(this.#pool), group, progress)).outcome
  }

  #rows<R extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<R[]> {
    return queryInScope<R>(this.#pool, WORKSPACE_ID, { text, values })
  }

  #rate(startedMs: number): number {
    return (this.#people * 1_000) / (performance.now() - startedMs)
  }

  #at(minute: number): string {
    return new Date(this.#beganMs + minute * MINUTE_MS).toISOString()
  }
}
