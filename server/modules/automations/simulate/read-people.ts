import type { Transaction } from '../../../platform/db/transaction.ts'
import type { AskedOfPeople } from './asked-of-people.ts'
import { TAG_EVENTS } from './asked-of-people.ts'

/** Of one person no more events than these are replayed, the first of the window; and as many before it are counted, the last. */
export const EVENTS_OF_PERSON_MAX = 5_000
const OTHERS_OF_PERSON_MAX = 500
/** So long before it went a mail may have been made: the longest that the cap lets one wait, and more than broadcasts take. */
const WAITING_DAYS_MAX = 31
/** Of one person no more characters of what is asked of events are read, and of a page of people no more but for its first person. */
export const CHARS_OF_PERSON_MAX = 2_000_000
export const CHARS_OF_PAGE_MAX = 16_000_000

export type PeopleAsked = {
  workspaceId: string
  automationId: string
  asked: AskedOfPeople
  /** Microseconds since 1970. */
  from: number
  until: number
  /** Since when mail of others is looked at. */
  othersFrom: number
  /** Of 10,000 people. */
  share: number
}

/** `last`: the contact to go on behind; null when there is nobody left. `cut`: people with more events than are looked at. */
export type ReadPage = { last: string | null; people: number; contacts: string; cut: number }

const micros = (column: string) => `floor(extract(epoch from ${column}) * 1000000)::int8`
const moment = (parameter: string) => `(timestamptz 'epoch' + ${parameter}::int8 * interval '1 microsecond')`

/**
 * The next people by id, with all that happened to them and is asked for, as JSON that nobody here has to read: it goes to the
 * thread that walks them. A read-only transaction of its own, so that nothing waits for a simulation. Contacts' events are looked
 * up one by one by their index; people without any come as a number. People behind those whose events make a page too long are in the
 * next one.
 */
export async function readPeople(tx: Transaction, given: PeopleAsked, at: At): Promise<ReadPage> {
  return pageOf(tx, given, { ...at, name: 'people_of_simulation', text: PEOPLE })
}

/** The same with those to whom nothing has happened. */
export async function readEverybody(tx: Transaction, given: PeopleAsked, at: At): Promise<ReadPage> {
  return pageOf(tx, given, { ...at, name: 'everybody_of_test', text: EVERYBODY })
}

type At = { after: string; limit: number }
type Named = At & { name: string; text: string }

async function pageOf(tx: Transaction, given: PeopleAsked, { name, text, ...at }: Named): Promise<ReadPage> {
  await tx.query('set transaction isolation level repeatable read, read only')
  const { asked, workspaceId, automationId, from, until, othersFrom, share } = given
  const names = [...new Set([...asked.listened, ...asked.counted, ...(asked.tagIds.length > 0 ? TAG_EVENTS : [])])]
  const { rows } = await tx.query<ReadPage>({
    ...{ name, text },
    values: [
      ...[workspaceId, at.after, at.limit, share, names, asked.counted, asked.properties, from, until],
      ...[asked.customKeys, asked.tagIds, asked.topicIds, automationId, othersFrom],
    ],
  })
  return rows[0]!
}

const OF_EVENT = 'e.id, e.recorded_at, e.occurred_at, e.name, e.data, e.proof'

/** Whether an event is still looked at: neither too many nor too long come before it. */
const FITS = `e.n <= ${EVENTS_OF_PERSON_MAX} and coalesce(e.chars, 0) <= ${CHARS_OF_PERSON_MAX}`

/** Mail of others by when it went: that of a broadcast is made when that begins. One of unknown fate has a place under the cap as well. */
const WENT_AT = 'coalesce(m.settled_at, m.created_at)'
const OTHER = `m.source_kind, m.source_id, m.purpose, ${WENT_AT} as went_at from messages m
  where m.workspace_id = $1 and m.contact_id = p.id and m.state in ('accepted', 'uncertain')
    and m.created_at >= ${moment('$14')} - interval '${WAITING_DAYS_MAX} days' and m.created_at < ${moment('$9')}
    and ${WENT_AT} >= ${moment('$14')} and ${WENT_AT} < ${moment('$9')}`

const textOf = (who: string) => `with page as materialized (
    select * from contacts where workspace_id = $1 and id > $2
      and ($4 = 10000 or abs(hashint8extended(id, 23) % 10000) < $4)
    order by id limit $3
  ), happened as materialized (
    select p.id, coalesce(e.events, '[]') as events, e.cut from page p cross join lateral (
      select json_agg(json_build_array(e.id::text, ${micros('e.recorded_at')}, ${micros('e.occurred_at')}, e.name,
          e.asked, e.proof) order by e.recorded_at, e.id) filter (where ${FITS}) as events,
        bool_or(not (${FITS})) as cut
      from (select e.*, sum(length(e.asked::text)) over (order by e.n, e.id) as chars from (
        select e.*, (select jsonb_object_agg(k, e.data -> k) from unnest($7::text[]) k where e.data ? k) as asked from (
        (select ${OF_EVENT}, row_number() over (order by e.id) as n from events e
          where e.workspace_id = $1 and e.contact_id = p.id and e.name = any ($5::text[])
            and e.recorded_at >= ${moment('$8')}
            and (e.recorded_at < ${moment('$9')} or e.name in ('contact.tagged', 'contact.untagged'))
          order by e.id limit ${EVENTS_OF_PERSON_MAX + 1})
        union all
        (select ${OF_EVENT}, row_number() over (order by e.id desc) as n from events e
          where e.workspace_id = $1 and e.contact_id = p.id and e.name = any ($6::text[])
            and cardinality($6::text[]) > 0 and e.recorded_at < ${moment('$8')}
          order by e.id desc limit ${EVENTS_OF_PERSON_MAX + 1})
        ) e) e) e
    ) e where ${who}
  ), sized as (
    select id, sum(length(events::text)) over (order by id) as chars, row_number() over (order by id) as place from happened
  ), looked as materialized (
    select id from page where id < coalesce((select min(id) from sized
      where chars > ${CHARS_OF_PAGE_MAX} and place > 1), 9223372036854775807)
  )
  select (select max(id) from looked)::text as last, (select count(*) from looked)::float8 as people,
    (select count(*) from happened join looked using (id) where cut)::float8 as cut,
    coalesce((select json_agg(json_build_object(
        'id', p.id::text, 'zone', p.time_zone, 'hasEmail', p.email is not null,
        'createdAt', ${micros('p.created_at')}, 'updatedAt', ${micros('p.updated_at')},
        'columns', json_build_object('subject_id', p.subject_id, 'email', p.email, 'phone', p.phone,
          'first_name', p.first_name, 'last_name', p.last_name, 'time_zone', p.time_zone,
          'created_at', to_json(p.created_at), 'updated_at', to_json(p.updated_at)),
        'custom', coalesce((select jsonb_object_agg(k, p.custom_fields -> k) from unnest($10::text[]) k
          where p.custom_fields ? k), '{}'),
        'tagIds', case when cardinality($11::text[]) = 0 then '[]' else coalesce((select json_agg(t.tag_id::text)
          from contact_tags t where t.workspace_id = $1 and t.contact_id = p.id and t.tag_id = any ($11::text[]::int8[])), '[]') end,
        'topics', case when cardinality($12::text[]) = 0 then '[]' else coalesce((select json_agg(json_build_array(y.topic_id::text,
          ${micros('y.created_at')})) from topic_subscriptions y
          join topics z on z.workspace_id = $1 and z.id = y.topic_id and z.deleted_at is null
          where y.workspace_id = $1 and y.contact_id = p.id and y.topic_id = any ($12::text[]::int8[])), '[]') end,
        'suppressed', (select json_build_array(s.reason, ${micros('s.created_at')}) from suppressions s
          where s.workspace_id = $1 and s.destination = lower(p.email)),
        'unsubscribed', coalesce((select json_agg(json_build_array(u.sending_source, ${micros('u.created_at')})) from unsubscribes u
          where u.workspace_id = $1 and u.destination = lower(p.email)), '[]'),
        'consentAt', (select ${micros('k.created_at')} from contact_consents k where k.workspace_id = $1 and k.contact_id = p.id),
        'events', h.events, 'others', coalesce(o.mails, '[]')))
      from happened h join looked using (id) join page p using (id)
      cross join lateral (
        select json_agg(json_build_array(m.source_kind, m.source_id::text, ${micros('m.went_at')}, m.purpose = 'marketing')) as mails from (
          (select ${OTHER} and m.source_kind = 'broadcast' limit ${OTHERS_OF_PERSON_MAX})
          union all
          (select ${OTHER} and m.source_kind <> 'broadcast' and m.source_kind = 'automation' and m.source_id <> $13
            limit ${OTHERS_OF_PERSON_MAX})
        ) m
      ) o), '[]')::text as contacts`
const PEOPLE = textOf('e.events is not null')
const EVERYBODY = textOf('true')
