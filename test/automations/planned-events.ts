import type pg from 'pg'
import { momentOf } from '../../server/modules/automations/micros.ts'
import type { EngineWorld } from './engine-worlds.ts'
import { OWN } from './random-worlds.ts'
import { type Acts, placeAt } from './sound-acts.ts'
import { GRID_MICROS, HALF_HOURS } from './world-times.ts'

/** An event of a world, and of whose contact it is recorded. */
export type Planned = {
  at: number
  workspaceId: string
  contactId: string
  doer: number
  name: string
  data: object
  proof: string | null
}

/** How long after a merge some of what is recorded still names the contact that is no more, as what was under way then does: for some days. */
const IN_FLIGHT_STEPS = HALF_HOURS

const isInFlight = ({ mergings }: Acts, doer: number, at: number) =>
  (at / GRID_MICROS) % 2 === 0 &&
  mergings.some((one) => one.other === doer && at > one.at && at <= one.at + IN_FLIGHT_STEPS * GRID_MICROS)

/** What people do, each in their own name or in that of whom they have become part of. */
export function plannedOf({ workspaceId, automationId, people, acts }: EngineWorld): Planned[] {
  const ofOwn = (data: object) =>
    Object.fromEntries(
      Object.entries(data).map(([key, value]) => [key, value === OWN ? `automation:${automationId}` : value]),
    )
  return people.flatMap(({ person }, doer) =>
    person.happenings.flatMap(({ at, name, data, proof = null }) => {
      const place = placeAt(acts, doer, at)
      if (place === undefined) return []
      const { contactId } = people[isInFlight(acts, doer, at) ? doer : place]!
      return [{ at, workspaceId, contactId, doer, name: name!, data: ofOwn(data ?? {}), proof }]
    }),
  )
}

/** Writes events into the log, in the transaction of a connection. */
export async function append(client: pg.PoolClient, events: readonly Planned[]): Promise<void> {
  const rows = events.map(({ at, ...rest }) => ({ ...rest, at: momentOf(BigInt(at)) }))
  await client.query(
    `insert into outbox (workspace_id, type, name, subject, contact_id, data, occurred_at, recorded_at, proof)
     select "workspaceId", 'event.recorded', name, doer, "contactId", data, at, at, proof
     from json_to_recordset($1::json) as e("workspaceId" bigint, "contactId" bigint, doer text, name text, data json, at timestamptz,
       proof text)`,
    [JSON.stringify(rows)],
  )
}
