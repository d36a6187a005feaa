import assert from 'node:assert/strict'
import fc from 'fast-check'
import {
  type Clip,
  clipOf,
  duplicateStep,
  pasteAt,
  readClip,
} from '../../dashboard/features/automations/builder/clip-steps.ts'
import {
  changeStep,
  type Definition,
  insertStep,
  leadTo,
  moveStep,
  nodesOf,
  removeStep,
  withoutUnreached,
} from '../../dashboard/features/automations/builder/edit-flow.ts'
import { placedFault } from '../../dashboard/features/automations/builder/fault-places.ts'
import { type EditRow, editRows } from '../../dashboard/features/automations/builder/outline-rows.ts'
import {
  addWay,
  changeWay,
  newRule,
  removeWay,
  shiftWay,
  waysListed,
  waysOut,
} from '../../dashboard/features/automations/builder/step-ways.ts'
import { END, flowOf } from '../../dashboard/features/automations/flow.ts'
import { outlineOf } from '../../dashboard/features/automations/flow-outline.ts'
import { type Line, type Place, reachable, treeOf } from '../../dashboard/features/automations/flow-tree.ts'
import { readDefinition } from '../../server/modules/automations/definition/read-definition.ts'

/* Edits of an automation as its builder makes them, drawn at random, and what has to hold of every state between them. */

export const EMPTY: Definition = { format: 1, enter: { on: [{ event: 'a' }] }, start: END, nodes: {} }

const clicked = (mail: string) => ({ combinator: 'and', rules: [{ field: 'clicked', operator: 'has', value: mail }] })

/** Every kind of step, as it is put in; some of them in several forms. */
export const MAKE: Readonly<Record<string, (to: string) => Record<string, unknown>>> = {
  delay: (to) => ({ type: 'delay', days: 1, to }),
  email: (to) => ({ type: 'email', subject: 'Hi', body: 'x', to }),
  mail: (to) => ({ type: 'email', template: { id: '1' }, to, ...(to === END ? {} : { skipped: END }) }),
  tag: (to) => ({ type: 'tag', add: [], to }),
  wait: (to) => ({ type: 'wait', for: [{ event: 'b', to }], timeout: 'P1D', late: to }),
  until: (to) => ({
    type: 'wait',
    for: [
      { segment: '4', when: 'enters', to },
      { if: newRule(), to },
      { date: 'event.startsAt', hours: -2, to: END },
    ],
    ...{ timeout: 'P1D', late: to },
  }),
  branch: (to) => ({ type: 'branch', ways: [{ if: newRule(), to }], else: to }),
  split: (to) => ({
    type: 'split',
    ways: [
      { weight: 5_000, to },
      { weight: 5_000, to: END },
    ],
  }),
  field: (to) => ({ type: 'field', set: { plan: 'pro' }, to }),
  set: (to) => ({ type: 'set', set: { offer: 'early' }, to }),
  emit: (to) => ({ type: 'emit', event: 'c', to }),
  webhook: (to) => ({ type: 'webhook', endpoint: '1', to }),
  notify: (to) => ({ type: 'notify', subject: 'Here', to }),
  goal: (to) => ({ type: 'goal', to }),
  enroll: (to) => ({ type: 'enroll', automation: '1', to }),
  leave: (to) => ({ type: 'leave', automation: '1', to }),
  end: () => ({ type: 'end' }),
}

/** Steps are put in more often than all else is done, or there would be little to edit. */
const ACTS = [
  ...Array.from({ length: 10 }, () => 'insert'),
  ...['remove', 'keep', 'move', 'up', 'down', 'duplicate', 'change', 'ask'],
  ...['copy', 'cut', 'paste', 'paste', 'way', 'unway', 'shift', 'lead'],
]
/** An act with what it is done to: its places and steps are counted out of those that are there. */
export type Edit = readonly [act: string, one: number, other: number]
const anyNumber = fc.noBias(fc.nat())
export const anEdit: fc.Arbitrary<Edit> = fc.tuple(fc.constantFrom(...ACTS), anyNumber, anyNumber)
/** So many that graphs grow, and no fewer because they are shrunk to be read. */
export const editsOf = <Of>(one: fc.Arbitrary<Of>) => fc.array(one, { maxLength: 60, size: 'max' })

/** The clipboard, which automations share; `of` is the id of the one that is edited. */
export type Desk = { clip: { text: string }; of: string; newId: (type: string) => string }

/** Ids as a page gives them, in an order of their own. */
export function idsFrom(start: number): (type: string) => string {
  let last = start
  return (type) => {
    last += 1
    return `${type}-${last}`
  }
}

export function placesOf(line: Line): Place[] {
  const own = [...line.steps.map(({ before }) => before), line.tail.place].filter(({ edges }) => edges.length > 0)
  return [...own, ...line.steps.flatMap(({ ways }) => ways.flatMap((way) => placesOf(way.line)))]
}

const nth = <T>(list: readonly T[], at: number): T | undefined => list[at % Math.max(1, list.length)]

export function edited(before: Definition, [act, one, other]: Edit, desk: Desk): Definition {
  const place = nth(placesOf(treeOf(flowOf(before))), one)
  const id = nth(Object.keys(nodesOf(before)), other)
  if (place === undefined) return before
  if (act === 'insert') {
    const [type, make] = nth(Object.entries(MAKE), other)!
    return insertStep(before, place.edges, { id: desk.newId(type), make })
  }
  if (act === 'paste') return pasted(before, place, desk)
  return id === undefined ? before : changed(before, { act, id, place, one, desk })
}

function pasted(before: Definition, place: Place, { clip, of, newId }: Desk): Definition {
  const read = readClip(clip.text)
  return read === undefined ? before : pasteAt(before, place.edges, { clip: read, of, newId }).definition
}

type Changing = { act: string; id: string; place: Place; one: number; desk: Desk }

function changed(before: Definition, { act, id, place, one, desk }: Changing): Definition {
  const step = nodesOf(before)[id]!
  const listed = waysListed(step).length
  const row = (): (EditRow & { is: 'step' }) | undefined =>
    editRows(treeOf(flowOf(before))).find((found): found is EditRow & { is: 'step' } => found.key === `step ${id}`)
  switch (act) {
    case 'remove':
      return removeStep(before, id)
    case 'keep':
      return removeStep(before, id, nth(waysOut(before, id), one)?.way)
    case 'move':
      return moveStep(before, id, place) ?? before
    case 'up':
    case 'down': {
      const to = row()?.[act]
      return (to && moveStep(before, id, to)) ?? before
    }
    case 'duplicate':
      return duplicateStep(before, id, desk.newId)?.definition ?? before
    case 'copy':
    case 'cut':
      desk.clip.text = JSON.stringify(clipOf(before, id, desk.of))
      return act === 'cut' ? removeStep(before, id) : before
    case 'change':
      return step.type === 'delay' ? changeStep(before, id, { days: undefined, hours: 1 + (one % 9) }) : before
    case 'ask':
      return asks(before, { id, one })
    case 'way':
      return listed > 0 ? addWay(before, id) : before
    case 'unway':
      return listed > (step.type === 'split' ? 2 : 1) ? removeWay(before, id, one % listed) : before
    case 'shift':
      return shiftWay(before, id, one % 3, 1)
    case 'lead':
      return withoutUnreached(leadTo(before, place.edges, id))
    default:
      return before
  }
}

/** A way of a branch, or of a wait that asks, asks for clicks in a mail. */
function asks(before: Definition, { id, one }: { id: string; one: number }): Definition {
  const mail = nth(
    Object.entries(nodesOf(before)).filter(([, { type }]) => type === 'email'),
    one,
  )
  const at = waysListed(nodesOf(before)[id]!).findIndex((way) => 'if' in way)
  return mail === undefined || at < 0 ? before : changeWay(before, id, at, { if: clicked(mail[0]) })
}

/** A mail that a rule asks for may be gone: that is mended at its step. */
const GRAPH_FAULT =
  /names the node (?!.*which is no email)|reached by no way|must be one of|is not known|must be the id|ways in all/

/** What has to hold of every state: outlines list each step once and alike, each fault stands at a row. */
export function isSound(definition: Definition): void {
  const flow = flowOf(definition)
  const ids = Object.keys(nodesOf(definition)).toSorted()
  const rows = editRows(treeOf(flow))
  const listed = rows.flatMap((row) => (row.is === 'step' ? [row.id] : []))
  assert.deepEqual(listed.toSorted(), ids, 'each step stands in the outline once')
  const shown = outlineOf(flow).flatMap((row) => (row.is === 'node' ? [row.id] : []))
  assert.deepEqual(shown, listed, 'what is in force is listed in the order in which it is written')
  assert.deepEqual(drawn(treeOf(flow)), listed, 'cards stand in the order of the outline')
  assert.deepEqual([...reachable(flow, flow.start)].toSorted(), ids, 'every step is reached')
  assert.equal(new Set(rows.map(({ key }) => key)).size, rows.length, 'every row has a name of its own')
  for (const [at, { is, level }] of rows.entries()) {
    if (is === 'way') assert.ok((rows[at + 1]?.level ?? 0) > level, 'each way shows a step, or where it ends')
  }
  const keys = new Set(rows.map(({ key }) => key))
  for (const fault of readDefinition(JSON.parse(JSON.stringify(definition))).faults) {
    assert.doesNotMatch(fault.detail, GRAPH_FAULT)
    assert.ok(keys.has(placedFault(fault).key), `a fault stands at a step: ${fault.pointer} ${fault.detail}`)
  }
}

/** Cards as the canvas goes through the tree. */
const drawn = ({ steps }: Line): string[] =>
  steps.flatMap(({ id, ways }) => [id, ...ways.flatMap(({ line }) => drawn(line))])

/** Mails of which the steps of a definition or of a clip ask whether somebody has clicked in them. */
export function askedFor({ nodes }: Pick<Clip, 'nodes'>): string[] {
  return [...JSON.stringify(nodes).matchAll(/"field":"clicked","operator":"has","value":"([^"]+)"/g)].map(
    ([, mail]) => mail!,
  )
}
