import { unprocessable } from '../../../catalogue/problems.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import { enqueue } from '../../../platform/jobs/enqueue.ts'
import type { FieldError } from '../../../platform/problem.ts'
import type { Caller } from '../../auth/caller.ts'
import { type Passing, requireScenarios } from '../scenarios/require-scenarios.ts'
import type { ScenarioDeps } from '../scenarios/run-scenarios.ts'
import type { PublishBody, Published } from '../schemas.ts'
import type { Definition } from './definition.ts'
import { loadDefinitions } from './load-definitions.ts'
import { type PeopleAtNode, peopleAtNodes } from './people-at-nodes.ts'
import { isPlace, type Moving, placeIn } from './places.ts'
import type { AutomationKey, AutomationRow } from './queries.ts'
import { escaped } from './reading.ts'
import { publishDraft, steer } from './steer-automation.ts'
import { type MoveKey, PLACE_RUNS, revokeMoves, takeAlong } from './take-along.ts'

/**
 * Makes the draft the version in force, and has those inside older versions stay there, come along, or leave. Moves of an
 * earlier publishing that are not done yet are revoked. Throws 403, 404, 409 where its scenarios fail too, 412, 422 for a draft that holds no longer and for people
 * who would have no place.
 */
export async function publishAutomation(
  deps: ScenarioDeps,
  caller: Caller,
  { id, ifMatch, body, despiteScenarios }: Passing & { ifMatch?: string | undefined; body: PublishBody },
): Promise<Published> {
  const moving = movingOf(body)
  const { requireSame, diff } = await requireScenarios(deps, caller, { id, despiteScenarios })
  let people = 0
  const from = ['draft', 'active', 'closed', 'paused'] as const
  const after = await steer(deps, caller, { id, ifMatch, act: 'publish', from, diff }, async (tx, key, row) => {
    requireSame(row)
    const published = await publishWithin(tx, key, { row, moving })
    people = published.people
    return { publishedVersion: published.version }
  })
  return { version: after.publishedVersion!, inside: moving.inside, people }
}

export function movingOf({ inside = 'stay', map = {}, nodes }: PublishBody): Moving {
  return { inside, map, nodes: nodes ?? null }
}

type PublishedWithin = { version: number; people: number; move?: MoveKey }

/** The same in the caller's transaction, which holds the automation. `people`: those who are taken along or leave. */
export async function publishWithin(
  tx: Transaction,
  key: AutomationKey,
  { row, moving }: { row: AutomationRow; moving: Moving },
): Promise<PublishedWithin> {
  const version = await publishDraft(tx, key, row)
  await revokeMoves(tx, key)
  if (moving.inside === 'stay') return { version, people: 0 }
  const definition = (await loadDefinitions(tx, { workspaceId: key.workspaceId, automationId: key.id }, [version])).get(
    version,
  )!
  const meant = meantBy(
    moving,
    (await peopleAtNodes(tx, key)).filter((one) => one.version !== version),
  )
  const faults = placeFaults(definition, moving, meant)
  if (faults.length > 0) throw unprocessable(faults)
  const people = meant.reduce((sum, one) => sum + one.people, 0)
  if (people === 0) return { version, people }
  const move = await takeAlong(tx, { ...key, version }, moving)
  await enqueue(tx, PLACE_RUNS, move)
  return { version, people, move }
}

function meantBy({ nodes }: Moving, people: readonly PeopleAtNode[]): PeopleAtNode[] {
  return people.filter(({ node }) => nodes === null || nodes.includes(node))
}

/** Places that are none, and people who have none. */
export function placeFaults(version: Definition, moving: Moving, meant: readonly PeopleAtNode[]): FieldError[] {
  const unknown = Object.entries(moving.map).flatMap(([node, place]) =>
    isPlace(version, place)
      ? []
      : [
          {
            pointer: `/map/${escaped(node)}`,
            detail: 'must be a node of the version that is published, "end" or "exit"',
          },
        ],
  )
  // Those who stay in their version need none.
  const sought = moving.inside === 'stay' ? [] : meant
  const homeless = Map.groupBy(
    sought.filter(({ node }) => !Object.hasOwn(moving.map, node) && placeIn(version, moving, node) === undefined),
    ({ node }) => node,
  )
  const lacking = [...homeless].map(([node, of]) => {
    const count = of.reduce((sum, { people }) => sum + people, 0)
    const detail = `must say where they go on: ${count} people stand at a node that is no more. A node, "end" or "exit"`
    return { pointer: `/map/${escaped(node)}`, detail }
  })
  return [...unknown, ...lacking]
}
