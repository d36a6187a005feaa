import type { Row } from '../route-rows.ts'
import type { World } from '../world.ts'

/** Two forms, the first with fields, sign-ups, and an attack; answers its id. */
async function seed(world: World): Promise<string> {
  const { json } = await world.site('GET', '/forms')
  const there = json.items.find(({ name }: { name: string }) => name === 'Footer of the shop')
  if (there) return there.id
  const { json: form } = await world.site('POST', '/forms', {
    name: 'Footer of the shop',
    consentWording: 'We write to you once a month. Each mail has a link that ends it.',
    fields: [{ field: 'email' }, { field: 'firstName', required: true }, { field: 'phone', label: 'Mobile' }],
    tags: ['Newsletter'],
    allowedOrigins: ['https://shop.example'],
  })
  await world.site('POST', '/forms', { name: 'Fair 2026', consentWording: 'News of the fair.', state: 'paused' })
  await world.instance.sql(
    `insert into form_hours (workspace_id, form_id, hour, outcome, total)
     select 1, $1, date_trunc('hour', now()), outcome, total
     from (values ('submitted', 400), ('mailed', 300), ('confirmed', 120), ('expired', 30), ('not_me', 2), ('honeypot', 71),
       ('address_budget', 29)) as sums (outcome, total)`,
    [form.id],
  )
  await world.instance.sql(
    `insert into form_submissions (workspace_id, form_id, version, state, reason, address_hash, origin, created_at)
     select 1, $1, 1, state, reason, sha256(state::bytea), 'https://shop.example', now() - interval '1 hour'
     from (values ('expired', null), ('refused', 'address_budget')) as filled (state, reason)`,
    [form.id],
  )
  return form.id
}

export const rows: Row[] = [
  { route: '/forms', name: 'forms-empty', heading: 'Forms', offers: [3, 3, 1] },
  {
    route: '/forms',
    name: 'forms',
    heading: 'Forms',
    offers: [2, 2, 1],
    path: async (world) => {
      await seed(world)
      return '/forms'
    },
  },
  {
    route: '/forms/$formId',
    name: 'form',
    heading: 'Footer of the shop',
    offers: [9, 9, 5],
    path: async (world) => `/forms/${await seed(world)}`,
  },
]
