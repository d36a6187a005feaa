import assert from 'node:assert/strict'
import { test } from 'node:test'
import { automationByHand, automationWorld } from '../../../../test/support/automation-by-hand.ts'
import { RUN_SLOTS } from '../entry/slots.ts'
import { openTurn } from './advance-runs.ts'
import { ATTEMPTS_MAX } from './note-failure.ts'

const { pool, workspaceId, rows } = await automationWorld()

/*
 * The reader of the log comes to an exit before a turn has made the run that it ends, and finds nobody: the run has to look for it, though
 * it never comes to a rest.
 */

test('somebody who is parked before they could look is ended by what has happened meanwhile', async () => {
  await pool.query(`create sequence refused;
    create function refuse() returns trigger language plpgsql as $$ begin
      perform nextval('refused');
      raise exception 'no way';
    end $$;
    create trigger refuse before insert on contact_tags for each row execute function refuse()`)
  const of = await automation()
  for (let n = 0; n <= ATTEMPTS_MAX; n++) await turn(of)
  await pool.query('drop trigger refuse on contact_tags')
  // The entry alone at once, and each time the timer with the exit, and alone: no half is as much as all that there is.
  const { rows: tries } = await pool.query<{ count: string }>('select last_value as count from refused')
  assert.equal(Number(tries[0]!.count), 1 + 2 * ATTEMPTS_MAX)
  assert.deepEqual(await ended(of), [{ state: 'exited', reason: 'criterion', node: 'tag' }])
})

test('the goal of somebody whose step fails counts, where it was reached before what ends them', async () => {
  const of = await automation(['cart', 'read', 'paid'])
  // Put off by a pause, they begin after all of it.
  await rows('update automations set resumed_at = now() where id = $1', [of.id])
  await pool.query('create trigger refuse before insert on contact_tags for each row execute function refuse()')
  for (let n = 0; n <= ATTEMPTS_MAX; n++) await turn(of)
  await pool.query('drop trigger refuse on contact_tags')
  assert.deepEqual(await ended(of), [{ state: 'exited', reason: 'criterion', node: 'tag' }])
  const reached = await rows('select from ended_runs where automation_id = $1 and goal_at is not null', [of.id])
  assert.equal(reached.length, 1)
})

test('somebody who gathers at a halted node is ended by what has happened meanwhile', async () => {
  const of = await automation()
  await rows(`update automations set halted_nodes = '{tag}' where id = $1`, [of.id])
  await turn(of)
  assert.deepEqual(await ended(of), [{ state: 'exited', reason: 'criterion', node: 'tag' }])
  assert.deepEqual(await rows('select from run_queue where automation_id = $1', [of.id]), [])
})

type Automation = { id: string; contactId: string }

const ended = ({ id, contactId }: Automation) =>
  rows('select state, reason, node from ended_runs where automation_id = $1 and contact_id = $2', [id, contactId])

async function turn({ id: automationId, contactId }: Automation): Promise<void> {
  const slot = Number(BigInt(contactId) % BigInt(RUN_SLOTS))
  const mailer = { queue: () => Promise.reject(new Error('nobody is told')) }
  const work = openTurn(
    { pool, mailer, onError: () => undefined },
    { workspaceId, automationId, slot, turn: '1', jobId: '' },
  )
  while ((await work.claim(1)).mayHaveMore);
}

/** Published and open; its contact wants to come in by the first event, and has done the others since, of which the last ends it. */
async function automation(events = ['cart', 'paid']): Promise<Automation> {
  const [contact] = await rows<{ id: string }>(
    `insert into contacts (workspace_id, subject_id) values ($1, gen_random_uuid()::text) returning id`,
    [workspaceId],
  )
  const contactId = contact!.id
  const { automationId: id } = await automationByHand(pool, workspaceId, {
    ...{ format: 1, enter: { on: [{ event: 'cart' }] }, exit: [{ event: 'paid' }], start: 'tag' },
    goal: { event: 'read', within: 'P7D', exit: false },
    nodes: { tag: { type: 'tag', add: ['red'], to: 'end' } },
  })
  const first = 10 * Number(id)
  await rows(
    `insert into events (workspace_id, id, recorded_at, type, name, subject, contact_id, data, occurred_at)
      select $1, $2 + n, now() - interval '2 minutes' + n * interval '1 second', 'event.recorded', name, '', $3, '{}', now()
      from unnest($4::text[]) with ordinality as e(name, n)`,
    [workspaceId, first, contactId, events],
  )
  await rows(
    `insert into run_queue (workspace_id, automation_id, slot, contact_id, run_id, kind, position, due_at, version)
      select $1, $2, $3 % ${RUN_SLOTS}, $3, 0, 'entry', id, recorded_at, 1 from events where workspace_id = $1 and id = $4`,
    [workspaceId, id, contactId, first + 1],
  )
  return { id, contactId }
}
