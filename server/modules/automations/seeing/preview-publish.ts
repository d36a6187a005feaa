import type pg from 'pg'
import { inTransaction, type Transaction } from '../../../platform/db/transaction.ts'
import type { Definition } from '../definition/definition.ts'
import { diffDefinitions, type NodeDiff } from '../definition/diff-definitions.ts'
import { type DraftKey, draftToPublish } from '../definition/draft-to-publish.ts'
import { loadDefinitions } from '../definition/load-definitions.ts'
import { type PeopleAtNode, peopleAtNodes } from '../definition/people-at-nodes.ts'
import { LEAVES, type Moving, placeIn } from '../definition/places.ts'
import { movingOf, placeFaults } from '../definition/publish-automation.ts'
import type { PublishBody } from '../schemas.ts'
import { type Mails, NO_MAILS, plusMails } from './mails-of-day.ts'
import { type NextDay, nextDayOf, type Placed } from './next-day.ts'
import type { PublishPreview } from './publish-schemas.ts'

/**
 * Tells what publishing the draft would do, and does nothing: how the version differs, who of those inside keeps a place, who
 * has none, and what the next 24 hours hold with it and without; of a definition that is `given` as if it were the draft. Throws 404, 409, 412, 422 for a draft that holds no longer.
 */
export async function previewPublish(
  sql: pg.Pool,
  { ifMatch, given, ...key }: DraftKey,
  body: PublishBody,
  gone?: AbortSignal,
): Promise<PublishPreview> {
  const look = async (tx: Transaction) => {
    const { draft, after, before, publishedVersion, isPaused, isNew } = await draftToPublish(tx, {
      ...key,
      ifMatch,
      given,
    })
    const { parts, nodes } = diffDefinitions(before, after)
    const moving = movingOf(body)
    const inside = (await peopleAtNodes(tx, key)).filter((one) => isNew || one.version !== publishedVersion)
    const definitions = await loadDefinitions(
      tx,
      { workspaceId: key.workspaceId, automationId: key.id },
      inside.map(({ version }) => version),
    )
    const places = inside.map((one) => placed(one, { draft, moving }))
    const days = await nextDayOf(tx, key, { places, draft, definitions, isPaused })
    return {
      ...{ publishes: isNew, parts, people: sumsOf(places) },
      nextDay: told(totalOf(days)),
      nodes: nodesOf(nodes, places, days),
      faults: placeFaults(
        draft,
        moving,
        inside.filter(({ node }) => moving.nodes?.includes(node) ?? true),
      ).map(({ pointer, detail }) => ({ pointer: pointer ?? '', detail })),
    }
  }
  return inTransaction(sql, key.workspaceId, look, gone)
}

function placed(one: PeopleAtNode, { draft, moving }: { draft: Definition; moving: Moving }): Placed {
  const to = placeIn(draft, moving, one.node)
  if (to === LEAVES) return { ...one, fate: 'leaves', to: null }
  if (to !== undefined) return { ...one, fate: to === one.node ? 'keeps' : 'moves', to }
  const isMeant = moving.inside === 'move' && (moving.nodes?.includes(one.node) ?? true)
  return { ...one, fate: isMeant ? 'homeless' : 'stays', to: null }
}

function sumsOf(places: readonly Placed[]): PublishPreview['people'] {
  const of = (fate: Placed['fate']) => places.reduce((sum, one) => sum + (one.fate === fate ? one.people : 0), 0)
  return {
    ...{ inside: places.reduce((sum, { people }) => sum + people, 0) },
    ...{ keep: of('keeps'), move: of('moves'), leave: of('leaves'), stay: of('stays'), homeless: of('homeless') },
  }
}

function totalOf(days: ReadonlyMap<Placed, NextDay>): NextDay {
  const total = { timersBefore: 0, timersAfter: 0, mailsBefore: NO_MAILS, mailsAfter: NO_MAILS, isEstimate: false }
  for (const day of days.values()) {
    total.timersBefore += day.timersBefore
    total.timersAfter += day.timersAfter
    total.mailsBefore = plusMails(total.mailsBefore, day.mailsBefore)
    total.mailsAfter = plusMails(total.mailsAfter, day.mailsAfter)
    total.isEstimate ||= day.isEstimate
  }
  return total
}

/** A day as it is answered: null is without a bound. */
function told({ mailsBefore, mailsAfter, ...day }: NextDay): PublishPreview['nextDay'] {
  const bounded = ({ atLeast, atMost }: Mails) => ({ atLeast, atMost: Number.isFinite(atMost) ? atMost : null })
  return { ...day, mailsBefore: bounded(mailsBefore), mailsAfter: bounded(mailsAfter) }
}

/** Nodes of both versions, and of older ones at which somebody stands. */
function nodesOf(
  diffs: readonly NodeDiff[],
  places: readonly Placed[],
  days: ReadonlyMap<Placed, NextDay>,
): PublishPreview['nodes'] {
  const known = new Set(diffs.map(({ node }) => node))
  const older = [...new Set(places.map(({ node }) => node))].filter((node) => !known.has(node))
  const all = [...diffs, ...older.map((node): NodeDiff => ({ node, change: 'removed', fields: [] }))]
  return all.map((diff) => {
    const here = places.filter(({ node }) => node === diff.node)
    const [first] = here
    const day = totalOf(new Map([...days].filter(([place]) => here.includes(place))))
    return {
      ...diff,
      people: sumsOf(here).inside,
      version: here.length === 0 ? null : Math.max(...here.map(({ version }) => version)),
      fate: first?.fate ?? null,
      to: first?.to ?? null,
      nextDay: told(day),
    }
  })
}
