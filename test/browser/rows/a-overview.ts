import type { Row } from '../route-rows.ts'
import type { World } from '../world.ts'

/** Thirty days of mail, written as its triggers would have: no page counts messages. */
async function seedHours({ instance }: World): Promise<void> {
  await instance.sql(
    `insert into message_hours (workspace_id, about, hour, kind, shard, total)
     select 1, '', date_trunc('hour', now()) - make_interval(days => day), kind, 0, greatest(1, (share * (900 + 420 * sin(day / 2.6) + 9 * (59 - day)))::int)
     from generate_series(0, 59) day, (values ('accepted', 1.0), ('failed', 0.004), ('opened', 0.41), ('clicked', 0.09),
       ('unsubscribed', 0.003), ('bounced', 0.006), ('complained', 0.0004)) k (kind, share)
     on conflict do nothing`,
  )
}

export const rows: Row[] = [
  { route: '/', name: 'overview-first-steps', heading: 'Overview', offers: [3, 3, 1] },
  {
    route: '/',
    name: 'overview',
    heading: 'Overview',
    offers: [3, 3, 1],
    path: async (world) => {
      await seedHours(world)
      return '/'
    },
  },
]
