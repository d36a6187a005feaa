import type pg from 'pg'
import { placeBackfill } from '../../server/modules/automations/backfill/place-backfill.ts'
import type { Definition } from '../../server/modules/automations/definition/definition.ts'
import { listensOf } from '../../server/modules/automations/definition/listens.ts'
import { publishVersion } from '../../server/modules/automations/definition/publish-version.ts'
import { automationForChange, setSwitches } from '../../server/modules/automations/definition/queries.ts'
import { storedDefinition } from '../../server/modules/automations/definition/read-definition.ts'
import { revokeMoves, takeAlong } from '../../server/modules/automations/definition/take-along.ts'
import { watchedSegments } from '../../server/modules/automations/definition/watched-segments.ts'
import { placeComers } from '../../server/modules/automations/entry/place-comers.ts'
import { sweepTrigger } from '../../server/modules/automations/entry/sweep-trigger.ts'
import { watchSegment } from '../../server/modules/automations/entry/watch-segment.ts'
import { momentOf } from '../../server/modules/automations/micros.ts'
import { forgetRuns } from '../../server/modules/automations/run/forget-runs.ts'
import type { Micros } from '../../server/modules/automations/run/model/model-run.ts'
import { placeRuns } from '../../server/modules/automations/run/place-runs.ts'
import { automationPartitions } from '../../server/modules/automations/run-partitions.ts'
import { updateContact } from '../../server/modules/contacts/update-contact.ts'
import { EVENT_PARTITIONS, OUTBOX_PARTITIONS } from '../../server/modules/events/queries.ts'
import { mergeContacts } from '../../server/modules/personal-data/merge-contacts.ts'
import { messagePartitions } from '../../server/modules/sending/ledger/message-partitions.ts'
import { ensurePartitions } from '../../server/platform/db/partitions.ts'
import { inTransaction, queryInScope } from '../../server/platform/db/transaction.ts'
import { callerOf, createWorkspace } from '../support/workspace.ts'
import { KILLS } from './killed-at-commit.ts'
import { CURSED_ENDPOINT, CURSED_EVENT, CURSED_TAG, ITSELF, TAGS } from './random-definitions.ts'
import type { Drawn, Person, Segments } from './random-worlds.ts'
import {
  type Acts,
  type Backfilling,
  type Dating,
  type Erasure,
  type Merging,
  NO_ACTS,
  type Publishing,
  type Tagging,
  type Zoning,
} from './sound-acts.ts'
import { BEGIN } from './world-times.ts'

/** An automation as it stands in the database, in a workspace of its own, with the people of its worlds. */
export type EngineWorld = {
  workspaceId: string
  automationId: string
  definition: ReturnType<typeof storedDefinition>
  people: readonly { person: Person; contactId: string }[]
  segments: Segments
  acts: Acts
  /** Runs that contacts had when they were erased. */
  runsOfErased: Map<string, string[]>
  /** Contacts that runs were begun by, where these have become part of others since. */
  begunBy: Map<string, string>
  /** How far the log had come when a version was published or contacts became one, by these moments. */
  logged: { publishings: Map<Micros, number>; mergings: Map<Micros, number> }
}

/** Days on which events are recorded, and months in which something comes of them. */
const EVENT_DAYS = 10
const MONTHS = 2
const KEEP_DAYS = 100_000

/**
 * Makes room for the years in which random worlds are. What a connection tells the log is recorded at the moment `postroom.recorded` of an
 * act, or `postroom.told` of a turn: how far the log is read is told by the times of its rows, and one of today among those of the world
 * makes it wrong.
 */
export async function ensureWorldPartitions(pool: pg.Pool): Promise<void> {
  const now = new Date(BEGIN / 1_000)
  await ensurePartitions(pool, { ...OUTBOX_PARTITIONS, ahead: EVENT_DAYS }, now)
  const monthly = [EVENT_PARTITIONS, ...messagePartitions(KEEP_DAYS), ...automationPartitions(KEEP_DAYS)]
  for (const table of monthly) await ensurePartitions(pool, { ...table, ahead: MONTHS }, now)
  await pool.query(`alter table outbox alter column recorded_at
    set default coalesce(nullif(current_setting('postroom.recorded', true), '')::timestamptz,
      nullif(current_setting('postroom.told', true), '')::timestamptz,
      least(postroom_clock(), timestamptz 'epoch' + interval '1 microsecond' * ${BEGIN} + interval '${EVENT_DAYS} days'))`)
  await pool.query(CURSES)
  await pool.query(LEADINGS)
  await pool.query(KILLS)
}

/** What steps put into the queue of an automation is due as what they tell the log is, and noted. */
const LEADINGS = `create table leadings (workspace_id bigint, contact_id bigint, position bigint, at timestamptz, leaves boolean, depth int);
  grant all on leadings to public;
  create function note_leading() returns trigger language plpgsql as $$ begin
    if coalesce(current_setting('postroom.recorded', true), '') = '' and current_setting('postroom.told', true) <> '' then
      new.due_at := current_setting('postroom.told')::timestamptz;
      if new.run_id <= 0 then
        insert into leadings values (new.workspace_id, new.contact_id, new.position, new.due_at, new.kind = 'exit', new.depth);
      end if;
    end if;
    return new;
  end $$;
  create trigger note_leading before insert on run_queue for each row when (new.position < 0) execute function note_leading();`

/**
 * Those who are cursed cannot be given a tag by an automation, nor can it tell anybody of them in one way: by hand, which is at a moment of the test, they can. When runs were parked is
 * of the machine's clock, by which a node with many would be halted.
 */
const CURSES = `create table cursed (workspace_id bigint, contact_id bigint, primary key (workspace_id, contact_id));
  grant all on cursed to public;
  create function refuse_cursed() returns trigger language plpgsql as $$ begin
    if coalesce(current_setting('postroom.recorded', true), '') = ''
      and exists (select from cursed where workspace_id = new.workspace_id and contact_id = new.contact_id)
      and exists (select from tags where workspace_id = new.workspace_id and id = new.tag_id and name = '${CURSED_TAG}')
    then raise exception 'cursed'; end if;
    return new;
  end $$;
  create trigger refuse_cursed before insert on contact_tags for each row execute function refuse_cursed();
  create function refuse_to_tell() returns trigger language plpgsql as $$ begin
    if exists (select from cursed where workspace_id = new.workspace_id and contact_id = new.contact_id)
      and (new.name = '${CURSED_EVENT}' or new.data::jsonb ->> 'endpointId' = '${CURSED_ENDPOINT}')
    then raise exception 'cursed'; end if;
    return new;
  end $$;
  create trigger refuse_to_tell before insert on outbox for each row
    when (new.name = '${CURSED_EVENT}' or new.type = 'automation.called') execute function refuse_to_tell();
  create function park_long_ago() returns trigger language plpgsql as $$ begin
    new.parked_at := timestamptz 'epoch';
    return new;
  end $$;
  create trigger park_long_ago before update on runs for each row when (new.parked_at is distinct from old.parked_at)
    execute function park_long_ago();`

/** Makes the workspace, its people and its automation, published and open. */
export async function makeWorld(
  pool: pg.Pool,
  { json, people, segments = [], acts = NO_ACTS }: Pick<Drawn, 'json' | 'people'> & Partial<Drawn>,
): Promise<EngineWorld> {
  const workspaceId = await createWorkspace(pool)
  const contactIds = await makePeople(pool, workspaceId, people)
  const cursed = contactIds.filter((_, n) => people[n]!.isCursed)
  await pool.query({ text: 'insert into cursed select $1, unnest($2::text[]::int8[])', values: [workspaceId, cursed] })
  await makeOwner(pool, workspaceId)
  await makeSegments(pool, workspaceId, segments)
  const definition = storedDefinition(JSON.stringify(json))
  const automationId = await inTransaction(pool, workspaceId, async (tx) => {
    const { rows } = await tx.query<{ id: string }>({
      text: `insert into automations (workspace_id, name, draft, segment_ids) values ($1, 'Random', $2, $3) returning id`,
      values: [workspaceId, JSON.stringify(json), watchedBy(definition)],
    })
    const key = { workspaceId, id: rows[0]!.id }
    await tx.query({
      text: 'update automations set draft = $3 where workspace_id = $1 and id = $2',
      values: [workspaceId, key.id, textOf(json, key.id)],
    })
    const row = await automationForChange(tx, key)
    const publishedVersion = await publishVersion(tx, key, row!)
    await setSwitches(tx, key, { entryOpen: true, publishedVersion })
    // The test works as the turn that each lane has.
    await tx.query({
      text: `update automation_lanes set state = 'running', job_id = gen_random_uuid(), turn = 1
        where workspace_id = $1 and automation_id = $2`,
      values: [workspaceId, key.id],
    })
    return key.id
  })
  if (listensOf(definition).length === 0) throw new Error('an automation that listens to nothing')
  const together = people.map((person, n) => ({ person, contactId: contactIds[n]! }))
  return {
    workspaceId,
    automationId,
    definition,
    people: together,
    segments,
    acts,
    runsOfErased: new Map(),
    begunBy: new Map(),
    logged: { publishings: new Map(), mergings: new Map() },
  }
}

/** A definition as it is kept of an automation. */
const textOf = (json: object, id: string) => JSON.stringify(json).replaceAll(ITSELF, id)

/** Notes how far the log has come. */
async function noteLogged(pool: pg.Pool, workspaceId: string, [to, at]: readonly [Map<Micros, number>, Micros]) {
  if (to.has(at)) return
  const [last] = await queryInScope<{ position: string | null }>(pool, workspaceId, {
    text: 'select max(position) as position from outbox where workspace_id = $1',
    values: [workspaceId],
  })
  to.set(at, Number(last!.position ?? 0))
}

/** The segments whose comings and goings a version listens to. */
export const watchedBy = (definition: Definition): string[] => [
  ...new Set(watchedSegments(definition).map(({ id }) => id)),
]

async function makeSegments(pool: pg.Pool, workspaceId: string, segments: Segments): Promise<void> {
  await queryInScope(pool, workspaceId, {
    text: `insert into segments (workspace_id, id, name, definition) overriding system value
      select $1, n, 'Segment ' || n, definition from unnest($2::text[]) with ordinality as g(definition, n)`,
    values: [workspaceId, segments.map((group) => JSON.stringify(group))],
  })
}

/** Gives somebody a tag, or takes it. */
export async function tagIn(pool: pg.Pool, { workspaceId, people }: EngineWorld, { place, tag, isGiven }: Tagging) {
  const text = isGiven
    ? `insert into contact_tags (workspace_id, tag_id, contact_id)
        select $1, id, $2 from tags where workspace_id = $1 and name = $3 on conflict do nothing`
    : `delete from contact_tags where workspace_id = $1 and contact_id = $2
        and tag_id = (select id from tags where workspace_id = $1 and name = $3)`
  await queryInScope(pool, workspaceId, { text, values: [workspaceId, people[place]!.contactId, tag] })
}

/** Has somebody's date be another one. */
export async function dateIn(pool: pg.Pool, { workspaceId, people }: EngineWorld, { place, day }: Dating) {
  await queryInScope(pool, workspaceId, {
    text: `update contacts set custom_fields = custom_fields - 'day' || jsonb_strip_nulls(jsonb_build_object('day', $3::text))
      where workspace_id = $1 and id = $2`,
    values: [workspaceId, people[place]!.contactId, day],
  })
}

/** Has those come in whose date or schedule has come. */
export async function sweepIn(pool: pg.Pool, { workspaceId, automationId }: EngineWorld): Promise<void> {
  const rows = await queryInScope<{ spec: string }>(pool, workspaceId, {
    text: 'select spec from automation_sweeps where workspace_id = $1 and automation_id = $2',
    values: [workspaceId, automationId],
  })
  for (const spec of rows.map((row) => row.spec).sort()) await sweepTrigger(pool, { workspaceId, automationId, spec })
  await placeComers(pool, { workspaceId, automationId }, new AbortController().signal)
}

/** Looks who has come into the segments that are watched, and who has gone. */
export async function lookAtSegments(pool: pg.Pool, { workspaceId }: EngineWorld): Promise<void> {
  // As if the last look were over long ago.
  const watched = await queryInScope<{ segmentId: string }>(pool, workspaceId, {
    text: `with due as (update segment_watches set next_check_at = now() where workspace_id = $1 returning segment_id)
      select segment_id as "segmentId" from due order by 1`,
    values: [workspaceId],
  })
  for (const { segmentId } of watched) {
    await watchSegment(pool, { workspaceId, segmentId }, new AbortController().signal)
  }
}

/** Erases a contact as far as automations are concerned, and notes which runs were theirs. */
export async function eraseFrom(pool: pg.Pool, world: EngineWorld, { place }: Erasure): Promise<void> {
  const { workspaceId, automationId, runsOfErased, people } = world
  const { contactId } = people[place]!
  await inTransaction(pool, workspaceId, async (tx) => {
    const values = [workspaceId, contactId]
    await tx.query({ text: 'select from contacts where workspace_id = $1 and id = $2 for update', values })
    const { rows } = await tx.query<{ id: string }>({
      text: `select id from runs where workspace_id = $1 and contact_id = $2 and automation_id = $3
        union all select id from ended_runs where workspace_id = $1 and contact_id = $2 and automation_id = $3`,
      values: [...values, automationId],
    })
    runsOfErased.set(
      contactId,
      rows.map(({ id }) => id),
    )
    await forgetRuns(tx, workspaceId, [contactId])
    await tx.query({ text: 'delete from contacts where workspace_id = $1 and id = $2', values })
  })
}

/** Makes one contact part of another. Histories are short: nothing is left for a sweep. */
export async function mergeIn(pool: pg.Pool, world: EngineWorld, { at, survivor, other }: Merging) {
  const { workspaceId, people, begunBy, logged } = world
  await noteLogged(pool, workspaceId, [logged.mergings, at])
  const [id, otherId] = [people[survivor]!.contactId, people[other]!.contactId]
  const runs = await queryInScope<{ id: string }>(pool, workspaceId, {
    text: `select id from runs where workspace_id = $1 and contact_id = $2
      union all select id from ended_runs where workspace_id = $1 and contact_id = $2`,
    values: [workspaceId, otherId],
  })
  for (const run of runs) if (!begunBy.has(run.id)) begunBy.set(run.id, otherId)
  await mergeContacts({ sql: pool, enqueueSweep: async () => undefined }, callerOf(workspaceId), { id, otherId })
}

export async function setZone(pool: pg.Pool, { workspaceId, people }: EngineWorld, { place, zone }: Zoning) {
  const change = { id: people[place]!.contactId, body: { timeZone: zone } }
  await updateContact({ sql: pool }, callerOf(workspaceId), change)
}

/** Publishes a version as `publishAutomation` does, at the clock of the connection; those who have no place stay. */
export async function publishInto(
  pool: pg.Pool,
  { workspaceId, automationId: id, logged }: EngineWorld,
  { at, json, definition, moving }: Publishing,
): Promise<void> {
  await noteLogged(pool, workspaceId, [logged.publishings, at])
  const move = await inTransaction(pool, workspaceId, async (tx) => {
    const key = { workspaceId, id }
    await tx.query({
      text: 'update automations set draft = $3, draft_changed = true, segment_ids = $4 where workspace_id = $1 and id = $2',
      values: [workspaceId, id, textOf(json, id), watchedBy(definition)],
    })
    const row = await automationForChange(tx, key)
    const version = await publishVersion(tx, key, row!)
    await setSwitches(tx, key, { publishedVersion: version })
    await revokeMoves(tx, key)
    return moving.inside === 'stay' ? undefined : await takeAlong(tx, { ...key, version }, moving)
  })
  if (move) await placeRuns(pool, move, new AbortController().signal)
}

/** The version in force at a moment. */
export function inForceAt({ definition, acts }: EngineWorld, at: Micros): Definition {
  return acts.publishings.findLast((one) => one.at <= at)?.definition ?? definition
}

/** The names of the events that bring people in. */
export const triggersOf = ({ enter }: Definition): string[] => [
  ...new Set(enter.on.flatMap((trigger) => ('event' in trigger ? [trigger.event] : []))),
]

/** Has past triggers go through the entry as `beginBackfill` and its job do; all that is recorded by the moment counts. */
export async function backfillInto(pool: pg.Pool, world: EngineWorld, { at, from, asOf }: Backfilling): Promise<void> {
  const { workspaceId, automationId } = world
  const moment = (micros: Micros) => momentOf(BigInt(micros))
  await queryInScope(pool, workspaceId, {
    text: `insert into automation_backfills (workspace_id, automation_id, as_of, names, from_at, until_at, events)
      values ($1, $2, $3, $4, $5, $6, 0)
      on conflict (workspace_id, automation_id) do update set state = 'running', as_of = excluded.as_of, names = excluded.names,
        from_at = excluded.from_at, until_at = excluded.until_at, placed = 0, last_id = null, ended_at = null`,
    values: [workspaceId, automationId, asOf, triggersOf(inForceAt(world, at)), moment(from), moment(at + 1)],
  })
  const { outcome } = await placeBackfill(pool, { workspaceId, automationId }, new AbortController().signal)
  if (outcome !== 'ok') throw new Error(`the past was not gone through: ${outcome}`)
}

/** Somebody who is told of people at steps that do so. */
export async function makeOwner(pool: pg.Pool, workspaceId: string): Promise<void> {
  await queryInScope(pool, workspaceId, {
    text: `with u as (
        insert into users (email, name, password_hash) values ('owner-' || $1::bigint || '@example.com', 'Owner', '$argon2id$none')
        returning id)
      insert into memberships (workspace_id, user_id, role) select $1, id, 'owner' from u`,
    values: [workspaceId],
  })
}

/** The address of a person, by their id, and who has one. */
export const addressOf = (id: number) => `p${id}@example.com`
export const placeOfAddress = (address: string) => Number(address.slice(1, address.indexOf('@'))) - 1

async function makePeople(pool: pg.Pool, workspaceId: string, people: readonly Person[]): Promise<string[]> {
  await queryInScope(pool, workspaceId, {
    text: `insert into custom_fields (workspace_id, key, name, type, declared) values ($1, 'level', 'Level', 'number', true)`,
    values: [workspaceId],
  })
  await queryInScope(pool, workspaceId, {
    text: 'insert into tags (workspace_id, name) select $1, unnest($2::text[])',
    values: [workspaceId, TAGS],
  })
  const rows = people.map(({ id, zone, tags, day, level = null, isSuppressed }) => {
    return { address: addressOf(id), zone, tags, day, level, isSuppressed }
  })
  const made = await queryInScope<{ address: string; id: string }>(pool, workspaceId, {
    text: `with given as (
        select * from json_to_recordset($2::json)
          as g(address text, zone text, tags json, day text, level int, "isSuppressed" boolean)
      ), contact as (
        insert into contacts (workspace_id, email, time_zone, custom_fields)
        select $1, address, zone, jsonb_strip_nulls(jsonb_build_object('day', day, 'level', level)) from given returning id, email
      ), tagged as (
        insert into contact_tags (workspace_id, tag_id, contact_id)
        select $1, t.id, contact.id from given join contact on contact.email = given.address
        cross join lateral json_array_elements_text(given.tags) tag join tags t on t.workspace_id = $1 and t.name = tag
      ), listed as (
        insert into suppressions (workspace_id, destination, reason)
        select $1, address, 'manual' from given where "isSuppressed"
      )
      select email as address, id from contact`,
    values: [workspaceId, JSON.stringify(rows)],
  })
  const ids = new Map(made.map(({ address, id }) => [address, id]))
  return rows.map(({ address }) => ids.get(address)!)
}
