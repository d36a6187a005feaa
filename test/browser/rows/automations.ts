import { eventually } from '../../support/eventually.ts'
import { replayReport } from '../replay-report.ts'
import type { Row } from '../route-rows.ts'
import type { World } from '../world.ts'

const BODY = '<p>Hello. <a href="{{ unsubscribe_url }}">Unsubscribe</a></p>'
const DEFINITION = {
  format: 1,
  enter: { on: [{ event: 'cart.updated' }, { manual: true }] },
  goal: { event: 'order.paid', value: 'total', within: 'P7D' },
  start: 'rest',
  nodes: {
    rest: { type: 'delay', hours: 2, to: 'bought' },
    bought: { type: 'wait', for: [{ event: 'order.paid', to: 'thanks' }], timeout: 'P3D', late: 'remind' },
    thanks: { type: 'tag', add: ['customer'], to: 'sort' },
    remind: { type: 'email', subject: 'You left something behind', body: BODY, to: 'sort' },
    sort: {
      type: 'branch',
      ways: [{ if: { rules: [{ field: 'tag', operator: 'has', value: 'customer' }] }, to: 'end' }],
      else: 'warm',
    },
    warm: { type: 'tag', add: ['warm'], to: 'end' },
  },
}

const SCENARIOS = [
  {
    name: 'Who pays in time is thanked, and not reminded',
    given: [
      { event: 'cart.updated', data: { cartId: 'a' } },
      { event: 'order.paid', at: 'P1D' },
    ],
    expect: [
      { tag: 'customer', at: 'P1D' },
      { end: 'completed', at: '2026-06-02T09:00:00+02:00' },
    ],
  },
]

/** In force, with one person who waits at its first step. */
async function automation(world: World): Promise<{ id: string; runId: string }> {
  const { json } = await world.site('GET', '/automations?search=Forgotten')
  const id = json.items[0]?.id ?? (await begun(world))
  await eventually('the list counts one who is in it', async () => {
    const [{ entered, inside, parked }] = (await world.site('GET', '/automations?search=Forgotten')).json.items
    return entered === 1 && inside === 1 && parked === 0
  })
  const { items } = (await world.site('GET', `/automations/${id}/runs`)).json
  // The newest may be of somebody else, who has been through.
  return { id, runId: items.find(({ state }: { state: string }) => state === 'waiting').id }
}

/** A draft that dates and a schedule bring people into. */
async function timed(world: World): Promise<string> {
  const { json } = await world.site('GET', '/automations?search=Birthdays')
  if (json.items[0]) return json.items[0].id
  await world.site('POST', '/custom-fields', { key: 'birthday', name: 'Birthday', type: 'date' })
  const segment = await world.site('POST', '/segments', { name: 'Mondays', definition: '{"rules":[]}' })
  const on = [
    { date: 'birthday', repeat: 'yearly', days: -7, at: '09:00' },
    { schedule: { at: '09:00', on: ['mon'] }, segment: segment.json.id },
  ]
  const definition = { format: 1, enter: { on }, start: 'end', nodes: {} }
  const made = await world.site('POST', '/automations', { name: 'Birthdays and Mondays', definition })
  return made.json.id
}

async function begun(world: World): Promise<string> {
  const made = await world.site('POST', '/automations', {
    name: 'Forgotten carts',
    definition: DEFINITION,
    scenarios: SCENARIOS,
  })
  await world.site('POST', `/automations/${made.json.id}/activate`)
  const ada = await world.site('POST', '/contacts', { email: 'ada.cart@example.com', firstName: 'Ada' })
  await world.site('POST', `/automations/${made.json.id}/enroll`, { contactIds: [ada.json.id] })
  return made.json.id
}

/** The same automation with a replay of a week, as the job would have left it. */
async function replayed(world: World, id: string): Promise<void> {
  const ada = (await world.site('GET', '/contacts?email=ada.cart@example.com')).json.items[0].id
  await world.instance.sql(
    `insert into automation_simulations (workspace_id, automation_id, state, draft, live, live_version, from_at, until_at, share,
       people_total, people_done, events, report, created_at, ended_at)
     select 1, $1, 'done', '{}', '{}', 1, now() - interval '7 days', now(), 10000, 4210, 4210, 18250, $2, now(), now()
     where not exists (select from automation_simulations where automation_id = $1)`,
    [id, JSON.stringify(replayReport(ada))],
  )
}

/** The same automation with what came of some who went through it, half of them by another version, two of twenty held out. */
async function charted(world: World, id: string): Promise<void> {
  const contacts = Array.from({ length: 20 }, (_, n) => ({ email: `charted${n + 1}@example.com` }))
  await world.site('POST', '/contacts/batch', { contacts })
  await world.instance.sql(
    `insert into automation_versions (workspace_id, automation_id, version, definition, written, segment_ids)
     select workspace_id, automation_id, 2, definition, written, segment_ids from automation_versions
     where automation_id = $1 and version = 1 on conflict do nothing`,
    [id],
  )
  await world.instance.sql(
    `insert into ended_runs (workspace_id, id, created_at, automation_id, version, contact_id, entry_key, entered_at, state, node,
       visit, ended_at, goal_at, goal_value)
     select 1, 900000000 + n, now(), $1, 1 + n % 2, (select id from contacts where email = 'charted' || n || '@example.com'), '', at, case when n % 10 = 0 then 'held_out' else 'completed' end, 'warm', 3, at,
       case when n % 3 = 1 then at end, case when n % 3 = 1 then 12.5 * n end
     from generate_series(1, 20) n, lateral (select now() - make_interval(days => n % 7) as at) moment
     where not exists (select from ended_runs where automation_id = $1)`,
    [id],
  )
}

/** The same automation with a draft that somebody else had written otherwise. */
async function rewritten(world: World, id: string): Promise<void> {
  await world.instance.sql(
    `insert into automation_revisions (workspace_id, automation_id, revision, draft, scenarios, actor_kind, actor_id, actor_name)
     select workspace_id, automation_id, 2, draft, scenarios, 'user', '0', 'Grace' from automation_revisions
     where automation_id = $1 and revision = 1 on conflict do nothing`,
    [id],
  )
}

/** Below the automation's own page: `/edit` builds it. */
const at = (below: string) => async (world: World) => `/automations/${(await automation(world)).id}${below}`

export const rows: Row[] = [
  { route: '/automations', name: 'automations-empty', heading: 'Automations', offers: [2, 2, 2] },
  {
    route: '/automations',
    name: 'automations',
    heading: 'Automations',
    offers: [1, 1, 1],
    path: async (world) => {
      await automation(world)
      return '/automations'
    },
  },
  {
    route: '/automations/$automationId',
    name: 'automation',
    heading: 'Forgotten carts',
    offers: [3, 3, 1],
    path: async (world) => {
      const { id } = await automation(world)
      await charted(world, id)
      return `/automations/${id}`
    },
  },
  {
    route: '/automations/$automationId/time-machine',
    name: 'automation-time-machine',
    heading: 'Time machine',
    offers: [2, 2, 2],
    path: async (world) => {
      const { id } = await automation(world)
      await replayed(world, id)
      return `/automations/${id}/time-machine`
    },
  },
  { route: '/automations/new', name: 'automation-new', heading: 'New automation', offers: [9, 9, 0] },
  {
    route: '/automations/$automationId/edit',
    name: 'automation-edit',
    heading: 'Forgotten carts',
    offers: [24, 24, 0],
    path: at('/edit'),
  },
  {
    route: '/automations/$automationId/edit',
    name: 'automation-edit-step',
    heading: 'Forgotten carts',
    offers: [23, 23, 0],
    path: at('/edit?at=step%20sort'),
  },
  {
    route: '/automations/$automationId/edit',
    name: 'automation-edit-dates',
    heading: 'Birthdays and Mondays',
    offers: [12, 12, 0],
    path: async (world) => `/automations/${await timed(world)}/edit?at=enter`,
  },
  {
    route: '/automations/$automationId/edit',
    name: 'automation-edit-canvas',
    heading: 'Forgotten carts',
    offers: [35, 35, 0],
    path: at('/edit?view=canvas&at=step%20sort'),
  },
  {
    route: '/automations/$automationId/edit',
    name: 'automation-edit-scenarios',
    heading: 'Forgotten carts',
    offers: [7, 7, 0],
    path: at('/edit?view=scenarios'),
  },
  {
    route: '/automations/$automationId/edit',
    name: 'automation-edit-history',
    heading: 'Forgotten carts',
    offers: [2, 2, 0],
    path: async (world) => {
      const { id } = await automation(world)
      await rewritten(world, id)
      return `/automations/${id}/edit?history=open`
    },
  },
  {
    route: '/automations/$automationId/runs/$runId',
    name: 'automation-run',
    heading: 'Ada',
    offers: [2, 2, 1],
    path: async (world) => {
      const { id, runId } = await automation(world)
      return `/automations/${id}/runs/${runId}`
    },
  },
]
