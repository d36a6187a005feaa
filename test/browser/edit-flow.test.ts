import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { clipOf, duplicateStep, pasteAt, readClip } from '../../dashboard/features/automations/builder/clip-steps.ts'
import {
  blockOf,
  type Definition,
  insertStep,
  leadTo,
  moveStep,
  nodesOf,
  removeStep,
  withoutUnreached,
} from '../../dashboard/features/automations/builder/edit-flow.ts'
import { placedFault } from '../../dashboard/features/automations/builder/fault-places.ts'
import { historyOf, record, redo, undo } from '../../dashboard/features/automations/builder/history.ts'
import { ENTER_KEY, editRows } from '../../dashboard/features/automations/builder/outline-rows.ts'
import {
  addWay,
  newRule,
  removeWay,
  shiftWay,
  waysListed,
  waysOut,
} from '../../dashboard/features/automations/builder/step-ways.ts'
import { END, flowOf } from '../../dashboard/features/automations/flow.ts'
import { type Line, type Place, reachable, treeOf } from '../../dashboard/features/automations/flow-tree.ts'
import { readDefinition } from '../../server/modules/automations/definition/read-definition.ts'
import { seedFrom } from '../support/seeded-random.ts'

/*
 * Random edits on random graphs: every state is a definition that the server takes or whose faults stand at steps it has, each
 * step stands in the outline once, and going back gives the same bytes.
 */

fc.configureGlobal({ seed: seedFrom('FLOW_SEED') })

const EMPTY: Definition = { format: 1, enter: { on: [{ event: 'a' }] }, start: END, nodes: {} }
const MAKE: Readonly<Record<string, (to: string) => Record<string, unknown>>> = {
  delay: (to) => ({ type: 'delay', days: 1, to }),
  email: (to) => ({ type: 'email', subject: 'Hi', body: 'x', to }),
  mail: (to) => ({ type: 'email', template: { id: '1' }, to, ...(to === END ? {} : { skipped: END }) }),
  tag: (to) => ({ type: 'tag', add: [], to }),
  wait: (to) => ({ type: 'wait', for: [{ event: 'b', to }], timeout: 'P1D', late: to }),
  branch: (to) => ({ type: 'branch', ways: [{ if: newRule(), to }], else: to }),
  split: (to) => ({
    type: 'split',
    ways: [
      { weight: 5_000, to },
      { weight: 5_000, to: END },
    ],
  }),
  end: () => ({ type: 'end' }),
}
const ACTS = [
  'insert',
  'insert',
  'insert',
  'remove',
  'keep',
  'move',
  'duplicate',
  'paste',
  'way',
  'unway',
  'shift',
  'lead',
] as const
const edits = fc.array(fc.tuple(fc.constantFrom(...ACTS), fc.nat(), fc.nat()), { maxLength: 30 })

/** Ids as a page gives them, in an order of their own. */
function idsFrom(start: number): (type: string) => string {
  let last = start
  return (type) => {
    last += 1
    return `${type}-${last}`
  }
}

function placesOf(line: Line): Place[] {
  const own = [...line.steps.map(({ before }) => before), line.tail.place].filter(({ edges }) => edges.length > 0)
  return [...own, ...line.steps.flatMap(({ ways }) => ways.flatMap((way) => placesOf(way.line)))]
}

function edited(
  before: Definition,
  [act, one, other]: [(typeof ACTS)[number], number, number],
  newId: (type: string) => string,
): Definition {
  const ids = Object.keys(nodesOf(before))
  const places = placesOf(treeOf(flowOf(before)))
  const place = places[one % Math.max(1, places.length)]
  const id = ids[other % Math.max(1, ids.length)]
  if (act === 'insert' && place) {
    const [type, make] = Object.entries(MAKE)[other % Object.keys(MAKE).length]!
    return withoutUnreached(insertStep(before, place.edges, { id: newId(type), make }))
  }
  if (id === undefined || place === undefined) return before
  const ways = waysOut(before, id)
  switch (act) {
    case 'remove':
      return removeStep(before, id)
    case 'keep':
      return removeStep(before, id, ways[one % Math.max(1, ways.length)]?.way)
    case 'move':
      return moveStep(before, id, place) ?? before
    case 'duplicate':
      return duplicateStep(before, id, newId)?.definition ?? before
    case 'paste': {
      const clip = readClip(JSON.stringify(clipOf(before, id, '1')))!
      return pasteAt(before, place.edges, { clip, of: '2', newId }).definition
    }
    case 'way':
      return waysListed(nodesOf(before)[id]!).length > 0 ? addWay(before, id) : before
    case 'unway':
      return waysListed(nodesOf(before)[id]!).length > 2 ? removeWay(before, id, one % 2) : before
    case 'shift':
      return shiftWay(before, id, one % 3, 1)
    case 'lead':
      return withoutUnreached(leadTo(before, place.edges, id))
    default:
      return before
  }
}

const GRAPH_FAULT = /names the node|reached by no way|must be one of|is not known|must be the id|ways in all/

function isSound(definition: Definition): void {
  const flow = flowOf(definition)
  const ids = Object.keys(nodesOf(definition)).toSorted()
  const rows = editRows(treeOf(flow))
  const listed = rows.flatMap((row) => (row.is === 'step' ? [row.id] : []))
  assert.deepEqual(listed.toSorted(), ids, 'each step stands in the outline once')
  assert.deepEqual([...reachable(flow, flow.start)].toSorted(), ids, 'every step is reached')
  assert.equal(new Set(rows.map(({ key }) => key)).size, rows.length, 'every row has a name of its own')
  const keys = new Set(rows.map(({ key }) => key))
  for (const fault of readDefinition(JSON.parse(JSON.stringify(definition))).faults) {
    assert.doesNotMatch(fault.detail, GRAPH_FAULT)
    assert.ok(keys.has(placedFault(fault).key), `a fault stands at a step: ${fault.pointer} ${fault.detail}`)
  }
}

test('whatever is edited, every state is sound, and undo and redo give the same bytes', () => {
  fc.assert(
    fc.property(edits, (list) => {
      const newId = idsFrom(0)
      let history = historyOf(EMPTY)
      const texts = [JSON.stringify(EMPTY)]
      for (const edit of list) {
        const next = edited(history.now, edit, newId)
        isSound(next)
        if (next !== history.now) texts.push(JSON.stringify(next))
        history = record(history, next)
      }
      for (const text of texts.toReversed()) {
        assert.equal(JSON.stringify(history.now), text)
        history = undo(history) ?? history
      }
      for (const text of texts) {
        assert.equal(JSON.stringify(history.now), text)
        history = redo(history) ?? history
      }
    }),
    { numRuns: 300 },
  )
})

test('a step that is put in stands where it was asked for, and its removal leaves everything as it was', () => {
  fc.assert(
    fc.property(edits, fc.nat(), fc.constantFrom('delay', 'tag', 'wait', 'branch'), (list, at, type) => {
      const newId = idsFrom(0)
      const before = list.reduce((one, edit) => edited(one, edit, newId), EMPTY)
      const places = placesOf(treeOf(flowOf(before)))
      const place = places[at % places.length]!
      const grown = insertStep(before, place.edges, { id: 'new', make: MAKE[type]! })
      assert.deepEqual(Object.keys(nodesOf(grown)).toSorted(), [...Object.keys(nodesOf(before)), 'new'].toSorted())
      assert.equal(blockOf(grown, 'new').next, place.to)
      assert.deepEqual(JSON.parse(JSON.stringify(removeStep(grown, 'new'))), JSON.parse(JSON.stringify(before)))
    }),
    { numRuns: 200 },
  )
})

test('an end is put or moved only to where nothing follows', () => {
  const of: Definition = {
    ...EMPTY,
    start: 'parts',
    nodes: {
      parts: { type: 'branch', ways: [{ if: newRule(), to: 'stop' }], else: 'tag' },
      stop: { type: 'end' },
      tag: { type: 'tag', add: ['done'], to: END },
    },
  }
  const other = { from: 'parts', way: 'else' }
  const make = MAKE.end!
  assert.equal(insertStep(of, [other], { id: 'new', make }), of)
  assert.equal(moveStep(of, 'stop', { edges: [other], to: 'tag' }), undefined)
  const last = { from: 'tag', way: 'to' }
  assert.equal(nodesOf(insertStep(of, [last], { id: 'new', make })).tag?.to, 'new')
  assert.equal(nodesOf(moveStep(of, 'stop', { edges: [last], to: END })!).tag?.to, 'stop')
})

test('a branch is copied with what hangs on it, and asks for clicks in its own mails', () => {
  const clicked = { rules: [{ field: 'clicked', operator: 'has', value: 'mail' }] }
  const of: Definition = {
    ...EMPTY,
    start: 'parts',
    nodes: {
      parts: {
        type: 'split',
        ways: [
          { weight: 5_000, to: 'mail' },
          { weight: 5_000, to: 'last' },
        ],
      },
      mail: { type: 'email', subject: 'Hi', body: 'x', to: 'asks' },
      asks: { type: 'branch', ways: [{ if: clicked, to: 'warm' }], else: 'last' },
      warm: { type: 'tag', add: ['warm'], to: 'last' },
      last: { type: 'tag', add: ['done'], to: END },
    },
  }
  assert.deepEqual([...blockOf(of, 'parts').ids].toSorted(), ['asks', 'mail', 'parts', 'warm'])
  const { definition } = pasteAt(EMPTY, [{ from: '', way: 'start' }], {
    clip: clipOf(of, 'parts', '1'),
    of: '2',
    newId: idsFrom(0),
  })
  assert.deepEqual(nodesOf(definition), {
    'split-1': {
      type: 'split',
      ways: [
        { weight: 5_000, to: 'email-2' },
        { weight: 5_000, to: END },
      ],
    },
    'email-2': { type: 'email', subject: 'Hi', body: 'x', to: 'branch-3' },
    'branch-3': {
      type: 'branch',
      ways: [{ if: { rules: [{ field: 'clicked', operator: 'has', value: 'email-2' }] }, to: 'tag-4' }],
      else: END,
    },
    'tag-4': { type: 'tag', add: ['warm'], to: END },
  })
  for (const text of ['', '{', '[]', '{"postroomSteps":1}', '{"postroomSteps":1,"start":"a","nodes":{}}']) {
    assert.equal(readClip(text), undefined, text)
  }
})

test('a fault stands at its step, wherever its id needs escapes', () => {
  assert.deepEqual(placedFault({ pointer: '/definition/nodes/a~1b/subject', detail: 'x' }).key, 'step a/b')
  assert.equal(placedFault({ pointer: '/definition/enter/on/0/event', detail: 'x' }).key, ENTER_KEY)
})
