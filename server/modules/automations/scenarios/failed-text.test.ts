import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readDefinition } from '../definition/read-definition.ts'
import { failedText } from './failed-text.ts'
import type { ScenarioResult } from './schemas.ts'

const mail = (subject: string) => ({ type: 'email', subject, body: '<p>Hi</p>', to: 'end' })
const { definition } = readDefinition({
  ...{ format: 1, enter: { on: [{ event: 'came' }] }, start: 'sort' },
  nodes: {
    sort: { type: 'split', ways: ['first', 'again', 'twin', 'stored'].map((to) => ({ weight: 2_500, to })) },
    ...{ first: mail('Hello'), again: mail('Still there?'), twin: mail('Still there?') },
    stored: { type: 'email', template: { id: '1' }, to: 'end' },
  },
})
const line = (outcome: string, kind: string, what: string) => ({
  ...{ outcome, kind, what, node: null, expectedAt: null, seenAt: null },
})
const told = (...lines: object[]) =>
  failedText({ name: 'One', fault: null, lines } as unknown as ScenarioResult, definition)

test('what a scenario fails by is said in words, mails by their subjects', () => {
  assert.equal(
    told(line('met', 'tag', 'cold'), line('other_time', 'mail', 'first'), line('unexpected', 'untag', 'warm')),
    '“One”: gets the mail “Hello” (at another time); loses the tag warm (not expected)',
  )
  assert.equal(
    told(line('missing', 'end', 'goal'), line('missing', 'refused', 'mode')),
    '“One”: finishes by reaching the goal (did not happen); does not come in because they had been in it (did not happen)',
  )
})

test('mails that subjects do not tell apart have their steps, and of many things three are said', () => {
  const mails = ['again', 'twin', 'stored', 'first', 'constructor'].map((id) => line('missing', 'mail', id))
  assert.equal(
    told(...mails),
    '“One”: gets the mail “Still there?” of the step again (did not happen); ' +
      'gets the mail “Still there?” of the step twin (did not happen); ' +
      'gets the mail of the step stored (did not happen); and 2 more',
  )
})
