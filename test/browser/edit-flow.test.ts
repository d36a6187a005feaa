import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { clipOf, pasteAt, readClip } from '../../dashboard/features/automations/builder/clip-steps.ts'
import {
  blockOf,
  type Definition,
  insertStep,
  moveStep,
  nodesOf,
  removeStep,
} from '../../dashboard/features/automations/builder/edit-flow.ts'
import { lostMailText, movedPointer, placedFault } from '../../dashboard/features/automations/builder/fault-places.ts'
import { faultText, placedText } from '../../dashboard/features/automations/builder/fault-words.ts'
import { historyOf, record, redo, undo } from '../../dashboard/features/automations/builder/history.ts'
import { ENTER_KEY } from '../../dashboard/features/automations/builder/outline-rows.ts'
import { newRule } from '../../dashboard/features/automations/builder/step-ways.ts'
import { END, flowOf } from '../../dashboard/features/automations/flow.ts'
import { treeOf } from '../../dashboard/features/automations/flow-tree.ts'
import { readDefinition } from '../../server/modules/automations/definition/read-definition.ts'
import { seedFrom } from '../support/seeded-random.ts'
import { anEdit, askedFor, type Desk, EMPTY, edited, editsOf, idsFrom, isSound, MAKE, placesOf } from './flow-edits.ts'

/*
 * Random edits on random graphs: every state is a definition that the server takes or whose faults stand at steps it has, each
 * step stands in the outline once, and going back gives the same bytes. FLOW_RUNS=20000 is a long form. A failure is
 * told as it was drawn; FLOW_SHRINK=1 with its FLOW_SEED looks for the shortest list of edits, which takes minutes.
 */

fc.configureGlobal({ seed: seedFrom('FLOW_SEED'), endOnFailure: process.env.FLOW_SHRINK !== '1' })

const RUNS = Number(process.env.FLOW_RUNS ?? 300)
const edits = editsOf(anEdit)
const deskOf = (of: string, clip = { text: '' }): Desk => ({ clip, of, newId: idsFrom(0) })

test('whatever is edited, every state is sound, and undo and redo give the same bytes', () => {
  fc.assert(
    fc.property(edits, (list) => {
      const desk = deskOf('1')
      let history = historyOf(EMPTY)
      const texts = [JSON.stringify(EMPTY)]
      for (const edit of list) {
        const next = edited(history.now, edit, desk)
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
    { numRuns: RUNS },
  )
})

test('two ways that end by going on at one step are two rows, each with a name of its own', () => {
  isSound({
    ...EMPTY,
    start: 'until',
    nodes: {
      rest: { type: 'delay', days: 1, to: 'last' },
      until: {
        type: 'wait',
        for: [
          { segment: '4', when: 'enters', to: 'last' },
          { event: 'b', to: 'rest' },
          { event: 'c', to: 'other' },
        ],
        timeout: 'P1D',
        late: 'again',
      },
      again: { type: 'wait', for: [{ event: 'b', to: 'until' }], timeout: 'P1D', late: 'rest' },
      last: { type: 'delay', days: 1, to: END },
      other: { type: 'delay', days: 1, to: END },
    },
  })
})

test('a step that is put in stands where it was asked for, and its removal leaves everything as it was', () => {
  fc.assert(
    fc.property(edits, fc.nat(), fc.constantFrom('delay', 'tag', 'wait', 'branch'), (list, at, type) => {
      const desk = deskOf('1')
      const before = list.reduce((one, edit) => edited(one, edit, desk), EMPTY)
      const places = placesOf(treeOf(flowOf(before)))
      const place = places[at % places.length]!
      const grown = insertStep(before, place.edges, { id: 'new', make: MAKE[type]! })
      assert.deepEqual(Object.keys(nodesOf(grown)).toSorted(), [...Object.keys(nodesOf(before)), 'new'].toSorted())
      assert.equal(blockOf(grown, 'new').next, place.to)
      assert.deepEqual(JSON.parse(JSON.stringify(removeStep(grown, 'new'))), JSON.parse(JSON.stringify(before)))
    }),
    { numRuns: RUNS },
  )
})

test('two automations are edited by one clipboard: each stays sound, goes back by itself, and asks for mails it has', () => {
  const anywhere = editsOf(fc.tuple(fc.boolean(), anEdit))
  fc.assert(
    fc.property(anywhere, (list) => {
      const clip = { text: '' }
      const desks = [deskOf('1', clip), deskOf('2', clip)]
      const histories = [historyOf(EMPTY), historyOf(EMPTY)]
      const asked = [0, 0]
      for (const [second, edit] of list) {
        const n = second ? 1 : 0
        const { now } = histories[n]!
        const next = edited(now, edit, desks[n]!)
        isSound(next)
        // What is put in brings its mails along, or asks for one that it left behind, as a removal does.
        const missing = askedFor({ nodes: nodesOf(next) }).filter((mail) => !Object.hasOwn(nodesOf(next), mail))
        if (edit[0] === 'duplicate') assert.ok(missing.length <= 2 * asked[n]!)
        asked[n] = missing.length
        histories[n] = record(histories[n]!, next)
      }
      for (const history of histories) {
        let one = history
        for (const text of history.past.map((before) => JSON.stringify(before)).toReversed()) {
          one = undo(one)!
          assert.equal(JSON.stringify(one.now), text)
        }
      }
    }),
    { numRuns: RUNS },
  )
})

test('whatever is copied asks in another automation for the mails that came along, and for no other', () => {
  fc.assert(
    fc.property(edits, fc.nat(), (list, at) => {
      const before = list.reduce((one, edit) => edited(one, edit, deskOf('1')), EMPTY)
      const ids = Object.keys(nodesOf(before))
      fc.pre(ids.length > 0)
      const clip = clipOf(before, ids[at % ids.length]!, '1')
      const newId = idsFrom(1_000)
      const { definition } = pasteAt(EMPTY, [{ from: '', way: 'start' }], { clip, of: '2', newId })
      const within = (asked: readonly string[], nodes: object) =>
        asked.filter((mail) => Object.hasOwn(nodes, mail)).length
      const [come, gone] = [askedFor(clip), askedFor({ nodes: nodesOf(definition) })]
      assert.equal(within(gone, nodesOf(definition)), within(come, clip.nodes))
      assert.equal(gone.filter((mail) => Object.hasOwn(clip.nodes, mail)).length, 0)
    }),
    { numRuns: RUNS },
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

test('a wait that asks for clicks asks, copied with its mail, for those in the copy', () => {
  const clicked = { rules: [{ field: 'clicked', operator: 'has', value: 'mail' }] }
  const of: Definition = {
    ...EMPTY,
    start: 'parts',
    nodes: {
      parts: { type: 'branch', ways: [{ if: newRule(), to: 'mail' }], else: END },
      mail: { type: 'email', subject: 'Hi', body: 'x', to: 'asks' },
      asks: {
        type: 'wait',
        for: [
          { if: clicked, to: END },
          { event: 'paid', to: END },
        ],
        timeout: 'P1D',
        late: END,
      },
    },
  }
  const [clip, newId] = [clipOf(of, 'parts', '1'), idsFrom(0)]
  const { definition } = pasteAt(EMPTY, [{ from: '', way: 'start' }], { clip, of: '2', newId })
  assert.deepEqual(nodesOf(definition)['wait-3']!.for, [
    { if: { rules: [{ field: 'clicked', operator: 'has', value: 'email-2' }] }, to: END },
    { event: 'paid', to: END },
  ])
  // Of a mail that was left behind it is said, and not by an id that only the page knows.
  const [fault] = readDefinition(JSON.parse(JSON.stringify(removeStep(of, 'mail')))).faults
  assert.equal(lostMailText(fault!.detail), 'Asks for clicks in a mail that is no more.')
})

test('a fault stands at its step, wherever its id needs escapes', () => {
  assert.deepEqual(placedFault({ pointer: '/definition/nodes/a~1b/subject', detail: 'x' }).key, 'step a/b')
  assert.equal(placedFault({ pointer: '/definition/enter/on/0/event', detail: 'x' }).key, ENTER_KEY)
})

test('faults are said in words of the form: what a step still needs, and what is wrong with which field', () => {
  const rules = (...given: object[]) => ({ if: { combinator: 'and', rules: given }, to: 'end' })
  const steps = [
    { type: 'email', subject: '', body: '', to: 'end' },
    { type: 'wait', for: [{ event: '', to: 'end' }], timeout: 'P1D', late: 'end' },
    { type: 'tag', add: [], to: 'end' },
    { type: 'field', set: {}, to: 'end' },
    { type: 'set', set: {}, to: 'end' },
    { type: 'webhook', endpoint: '', to: 'end' },
    { type: 'enroll', automation: '', to: 'end' },
    { type: 'delay', to: 'end' },
    { type: 'wait', for: [{ segment: '', when: 'enters', to: 'end' }], timeout: '3 days', late: 'end' },
    {
      type: 'split',
      ways: [
        { weight: 5_000, to: 'end' },
        { weight: -1, to: 'end' },
      ],
    },
    { type: 'branch', ways: [rules({ field: 'event.', operator: '=', value: 'x' })], else: 'end' },
  ]
  const told = steps.map((step) => {
    const definition = { ...EMPTY, start: 'it', nodes: { it: step } }
    return readDefinition(definition).faults.map((fault) => faultText(placedFault(fault), step))
  })
  assert.deepEqual(told, [
    ['Still needs a subject.', 'Still needs a text.'],
    ['Still needs an event.'],
    ['Still needs a tag to add or to remove.'],
    ['Still needs a custom field.'],
    ['Still needs a variable.'],
    ['Still needs an endpoint.'],
    ['Still needs an automation.'],
    ['Still needs a time.'],
    ['Still needs a segment.', '“At most” must be a time, such as 3 days.'],
    ['Its part must be from 0 to 100 %.', 'The parts must add up to 100 %; they are 50 %.'],
    ['Still needs a field to ask for.'],
  ])
  const asked = (field: string, detail: string) =>
    faultText(
      { key: 'step it', pointer: '/ways/0/if/rules/0/value', detail },
      {
        ways: [rules({ field, operator: '=', value: '' })],
      },
    )
  assert.equal(asked('tag', 'must not be blank'), 'Still needs a tag.')
  const mail = { type: 'email', subject: '', body: '', to: 'end' }
  const written = { ...EMPTY, start: 'one', nodes: { one: { ...mail, to: 'two' }, two: mail }, exit: [{ event: '' }] }
  const places = readDefinition(written).faults.map((fault) => placedText(placedFault(fault), written))
  assert.deepEqual(places, [
    'Exit 1: Still needs an event.',
    ...['Mail (1 of 2): Still needs a subject.', 'Mail (1 of 2): Still needs a text.'],
    ...['Mail (2 of 2): Still needs a subject.', 'Mail (2 of 2): Still needs a text.'],
  ])
  assert.equal(asked('custom:plan', 'must not be blank'), 'Still needs a value for plan.')
  assert.equal(asked('custom:age', 'must be a number'), 'The value of “age” must be a number.')
})

test('what is wrong with a part of a list follows it when parts before it go or come, and goes with it', () => {
  const [paid, gone, fresh] = [{ event: 'order.paid' }, { event: 'order.gone' }, { event: '' }]
  const before = { exit: [paid, gone, fresh], goal: { event: '' } }
  const moved = (pointer: string, exit: readonly object[]) => movedPointer(pointer, before, { ...before, exit })
  assert.equal(moved('/exit/2/event', [paid, fresh]), '/exit/1/event')
  assert.equal(moved('/exit/2', [fresh]), '/exit/0')
  assert.equal(moved('/exit/2', [{ event: 'other' }, paid, gone, fresh]), '/exit/3')
  assert.equal(moved('/exit/2', [paid, gone]), undefined)
  assert.equal(moved('/exit/0', [paid, fresh]), '/exit/0')
  // While it is typed it is another object in its place; the first of a list begins where none was.
  assert.equal(moved('/exit/2/event', [paid, gone, { event: 'o' }]), '/exit/2/event')
  assert.equal(movedPointer('/exit/0', {}, { exit: [fresh] }), '/exit/0')
  assert.equal(moved('/goal', [fresh]), '/goal')
  assert.equal(moved('', []), '')
  const nodes = (ways: readonly object[]) => ({ nodes: { 'a/b': { ways } } })
  assert.equal(movedPointer('/nodes/a~1b/ways/1/to', nodes([paid, gone]), nodes([gone])), '/nodes/a~1b/ways/0/to')
})
