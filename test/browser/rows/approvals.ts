import type { Row } from '../route-rows.ts'
import type { World } from '../world.ts'

const PLAN = {
  ...{
    name: 'News of November',
    subject: 'News for {{ first_name }}',
    fromName: 'Engines',
    fromEmail: null,
    topicId: null,
  },
  segments: [{ id: '1', name: 'Active customers', definition: '' }],
  excludedSegments: [],
  sendCount: 1_190,
  people: ['a***@example.com', 'b***@example.com'],
  warnings: ['It has no text part of its own.'],
  preview: { subject: 'News for Alex', html: '<h1>News</h1><p>Hello Alex.</p>', text: 'Hello Alex.' },
}

const STEPS = {
  ...{ format: 1, enter: { on: [{ event: 'cart.updated' }] }, start: 'later' },
  nodes: {
    later: { type: 'delay', hours: 2, to: 'bought' },
    bought: { type: 'wait', for: [{ event: 'order.placed', to: 'end' }], timeout: 'P1D', late: 'remind' },
    remind: { type: 'email', subject: 'Your cart waits', body: '<p>It waits.</p>', to: 'end' },
  },
}
const AUTOMATION = {
  ...{ ...PLAN, name: 'Cart reminder', sendCount: null, people: [], preview: null, warnings: [] },
  mails: [
    { node: 'remind', subject: 'Your cart waits', html: '<h1>Your cart</h1><p>It waits.</p>', text: 'It waits.' },
  ],
  definition: JSON.stringify(STEPS),
}

export async function askedToActivate({ instance }: World): Promise<string> {
  const [row] = await instance.sql<{ id: string }>(
    `insert into approvals (workspace_id, act, automation_id, content_hash, recipients_count, plan, note, asked_by, budget_reason,
       expires_at)
     values (1, 'automation', 1, sha256(''), 0, $1, '', '{"tokenId":"1","tokenName":"assistant","client":"Desk 4"}',
       'Nobody can tell how many people an automation will write to.', now() + interval '3 days') returning id`,
    [JSON.stringify(AUTOMATION)],
  )
  return row!.id
}

async function asked({ instance }: World, status: string, count = 1_204): Promise<string> {
  const [row] = await instance.sql<{ id: string }>(
    `insert into approvals (workspace_id, broadcast_id, content_hash, recipients_count, plan, note, asked_by, status, decided_by,
       decided_at, expires_at)
     values (1, 1, sha256(''), $1, $2, 'They asked for it in the last call.', '{"tokenId":"1","tokenName":"assistant","client":"Desk 4"}',
       $3, case when $3 = 'waiting' then null else '{"id":"1","name":"Ada"}' end::json,
       case when $3 = 'waiting' then null else now() end, now() + interval '3 days') returning id`,
    [count, JSON.stringify(PLAN), status],
  )
  return row!.id
}

export const rows: Row[] = [
  { route: '/approvals', name: 'approvals-empty', heading: 'Approvals', offers: [1, 1, 1] },
  {
    route: '/approvals',
    name: 'approvals',
    heading: 'Approvals',
    offers: [1, 1, 1],
    path: async (world) => {
      for (const status of ['approved', 'rejected', 'waiting']) await asked(world, status)
      await askedToActivate(world)
      return '/approvals'
    },
  },
  {
    route: '/approvals/$approvalId',
    name: 'approval',
    heading: 'News of November',
    offers: [2, 2, 0],
    path: async (world) => `/approvals/${await asked(world, 'waiting')}`,
  },
  {
    route: '/approvals/$approvalId',
    name: 'approval-automation',
    heading: 'Cart reminder',
    offers: [2, 2, 0],
    path: async (world) => `/approvals/${await askedToActivate(world)}`,
  },
  {
    route: '/approvals/$approvalId',
    name: 'approval-decided',
    heading: 'News of November',
    offers: [0, 0, 0],
    path: async (world) => `/approvals/${await asked(world, 'approved')}`,
  },
]
