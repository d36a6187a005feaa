import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { databaseBefore } from '../../../../test/support/migrated-before.ts'
import { seededRandom, seedFrom } from '../../../../test/support/seeded-random.ts'
import { migrate } from '../../../platform/db/migrate.ts'
import { ensurePartitions } from '../../../platform/db/partitions.ts'
import { createPool } from '../../../platform/db/pool.ts'
import { ALL_WORKSPACES, queryInScope } from '../../../platform/db/transaction.ts'
import { foldMessageHours } from './fold-message-hours.ts'
import { messagePartitions } from './message-partitions.ts'

const database = await databaseBefore('message_hours')
const pool = createPool({ name: 'pgx', url: database.url, max: 2 })
after(async () => {
  await pool.end()
  await database.drop()
})
const rows = <R extends object>(text: string, values: unknown[] = []) =>
  queryInScope<R>(pool, ALL_WORKSPACES, { text, values })

/** The hours as they must be, counted from the messages one by one. */
const COUNTED = `select workspace_id, about, hour, kind, count(*)::int as total from (
    select workspace_id, unnest(array['', case when source_kind = 'broadcast' then 'broadcast ' || source_id end]) as about,
      date_trunc('hour', at, 'UTC') as hour, kind
    from messages cross join lateral (values ('accepted', case when state = 'accepted' then settled_at end),
      ('failed', case when state = 'failed' then settled_at end), ('opened', opened_at), ('clicked', clicked_at),
      ('unsubscribed', unsubscribed_at), ('bounced', bounced_at), ('complained', complained_at)) mark (kind, at)
    where at is not null and source_kind <> 'test'
    union all
    select workspace_id, 'domain ' || sending_domain, date_trunc('hour', settled_at, 'UTC'), kind
    from messages cross join lateral (values ('accepted', state = 'accepted'), ('failed', state = 'failed' and bounced_at is not null),
      ('bounced', bounced_at is not null), ('complained', state = 'accepted' and complained_at is not null)) mark (kind, holds)
    where holds and state in ('accepted', 'failed') and sending_domain is not null and source_kind <> 'test') each_one
  where about is not null group by 1, 2, 3, 4 order by 1, 2, 3, 4`
/** They are kept by quarters of an hour, but for what was there before that. */
const KEPT = `select workspace_id, about, date_trunc('hour', hour, 'UTC') as hour, kind, sum(total)::int as total from message_hours
  group by 1, 2, 3, 4 having sum(total) <> 0 order by 1, 2, 3, 4`

async function assertKept(): Promise<void> {
  assert.deepEqual(await rows(KEPT), await rows(COUNTED))
}

/** Messages of each kind of source in the last four days, in every state, some with marks. */
async function fill(): Promise<void> {
  await rows(`insert into workspaces (slug, name) select 'w' || n, 'W' from generate_series(1, 2) n`)
  // Of the schema of that time: other modules have tables by now that it has not.
  await Promise.all(messagePartitions(400).map((table) => ensurePartitions(pool, table)))
  await rows(
    `insert into messages (workspace_id, purpose, source_kind, source_id, contact_id, destination, state, reason, settled_at, sending_domain,
       opened_at, clicked_at, bounced_at)
     select w.id, o.purpose, o.kind, o.source, n, n || '@example.com', s.state, case when s.state in ('failed', 'skipped', 'uncertain') then 'x' end,
       case when s.state <> 'pending' then now() - n * interval '55 minutes' end,
       case when n % 3 > 0 then 'd' || n % 2 || '.example' end,
       case when n % 4 = 0 then now() - n * interval '50 minutes' end, case when n % 5 = 0 then now() - n * interval '40 minutes' end,
       case when n % 7 = 0 then now() - n * interval '30 minutes' end
     from workspaces w
     cross join (values ('marketing', 'broadcast', 5), ('marketing', 'automation', 5), ('transactional', 'email', null),
       ('system', 'test', null)) o (purpose, kind, source)
     cross join unnest(array['pending', 'accepted', 'failed', 'skipped', 'uncertain']) with ordinality s (state, n0)
     cross join generate_series(1, 80) n where n % 5 = s.n0 - 1`,
  )
}

test('mail that was there before is counted in its hours, and whatever becomes of it later as well', async () => {
  await fill()
  await migrate({ url: database.url })
  assert.ok((await rows(KEPT)).length > 100)
  await assertKept()

  const seed = seedFrom('HOURS_SEED')
  const random = seededRandom(seed)
  const changes = [
    `state = 'accepted', reason = null, settled_at = now() - interval '5 hours', sending_domain = 'd1.example'`,
    `state = 'failed', reason = 'x', settled_at = now()`,
    `state = 'pending', reason = null, settled_at = null`,
    `opened_at = coalesce(opened_at, now()), clicked_at = now() - interval '1 day'`,
    'bounced_at = null',
    `complained_at = now(), unsubscribed_at = now()`,
    `destination = '', contact_id = null`,
  ]
  for (let n = 0; n < 40; n++) {
    const change = changes[Math.floor(random() * changes.length)]
    await rows(`update messages set ${change} where id % 97 = ${Math.floor(random() * 97)}`)
  }
  try {
    await assertKept()
    const [within] = await rows<{ n: number }>(
      `select count(*)::int as n from message_hours where about = '' and shard > 0 and hour <> date_trunc('hour', hour, 'UTC')`,
    )
    assert.ok(within!.n > 0, 'kept by the quarter')
  } catch (error) {
    throw new Error(`HOURS_SEED=${seed}`, { cause: error })
  }
})

test('hours that are past are folded into one row each, and later changes go on counting', async () => {
  await foldMessageHours(pool, () => false)
  const unfolded = await rows(`select from message_hours where shard > 0 and hour < now() - interval '49 hours'`)
  assert.deepEqual(unfolded, [])
  await assertKept()
  await rows(`update messages set state = 'pending', reason = null, settled_at = null where state = 'accepted'`)
  await assertKept()
  await foldMessageHours(pool, () => false)
  await assertKept()
})
