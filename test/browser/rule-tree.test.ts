import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  addTo,
  type GroupNode,
  isGroup,
  parseTree,
  pathOf,
  removeAt,
  replaceAt,
  ruleCount,
  type TreeNode,
  textOf,
  valueText,
} from '../../dashboard/features/segments/rule-tree.ts'
import { readList } from '../../server/modules/segments/rule-values.ts'
import { seedFrom } from '../support/seeded-random.ts'

fc.configureGlobal({ seed: seedFrom('TREE_SEED') })

const plain = { noNullPrototype: true }
const rule = fc.record({ field: fc.string(), operator: fc.string(), value: fc.jsonValue(), id: fc.string() }, plain)
const tree = fc.letrec<{ node: TreeNode; group: GroupNode }>((tie) => ({
  node: fc.oneof({ depthSize: 'small' }, rule as fc.Arbitrary<TreeNode>, tie('group')),
  group: fc.record(
    {
      combinator: fc.constantFrom('and' as const, 'or' as const),
      not: fc.boolean(),
      rules: fc.array(tie('node'), { maxLength: 4 }),
      id: fc.string(),
    },
    plain,
  ) as fc.Arbitrary<GroupNode>,
})).group

test('a list is typed as the server reads it, whatever commas, backslashes and blanks are in its items', () => {
  const item = fc
    .array(fc.constantFrom(',', '\\', ' ', 'a', 'b'), { maxLength: 6 })
    .map((chars) => chars.join('').trim())
  fc.assert(
    fc.property(
      fc.array(
        item.filter((text) => text !== ''),
        { minLength: 1, maxLength: 4 },
      ),
      (items) => {
        const read = (value: unknown) => readList({ value, pointer: '' }).map((one) => one.value)
        assert.deepEqual(read(valueText(items)), read(items))
      },
    ),
  )
})

function pathsOf(group: GroupNode, path: number[] = []): number[][] {
  return group.rules.flatMap((node, index) => [
    [...path, index],
    ...(isGroup(node) ? pathsOf(node, [...path, index]) : []),
  ])
}

test('a definition that is opened and closed is the same, keys of others included', () => {
  fc.assert(
    fc.property(tree, (given) =>
      assert.deepEqual(JSON.parse(textOf(parseTree(textOf(given))!)), JSON.parse(JSON.stringify(given))),
    ),
  )
})

test('what is added is there once more, and its removal leaves the tree as it was', () => {
  fc.assert(
    fc.property(tree, (given) => {
      const node: TreeNode = { field: 'email', operator: '=', value: 'x' }
      const more = addTo(given, [], node)
      assert.equal(ruleCount(more), ruleCount(given) + 1)
      assert.deepEqual(removeAt(more, [given.rules.length]), given)
    }),
  )
})

test('a change at a path touches nothing beside it, and is found where a fault points', () => {
  fc.assert(
    fc.property(tree, fc.nat(), (given, choice) => {
      const paths = pathsOf(given)
      if (paths.length === 0) return
      const path = paths[choice % paths.length]!
      assert.deepEqual(
        replaceAt(given, path, (node) => node),
        given,
      )
      assert.deepEqual(pathOf(`/definition${path.map((index) => `/rules/${index}`).join('')}/value`), path)
    }),
  )
})

test('what is no tree of rules is left to the text', () => {
  for (const text of [
    '{',
    '[]',
    '"x"',
    '{"rules":[{"field":1}]}',
    '{"rules":[],"combinator":"xor"}',
    '{"field":"email","operator":"="}',
  ]) {
    assert.equal(parseTree(text), undefined, text)
  }
  assert.deepEqual(parseTree('  '), { combinator: 'and', rules: [] })
})

test('a number with more digits than this language keeps has all of them after it was opened', () => {
  const written = '{"combinator":"and","rules":[{"field":"custom:account","operator":"=","value":9007199254740993}]}'
  assert.match(textOf(parseTree(written)!), /"value":"9007199254740993"/)
  const short = written.replace('9007199254740993', '12.50')
  assert.match(textOf(parseTree(short)!), /"value":12.5}/)
})
