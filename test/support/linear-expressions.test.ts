import assert from 'node:assert/strict'
import test from 'node:test'
import { expressionsOf } from './expressions.ts'
import { expressionFindings, verdictOn, withFewerRepeats } from './linear-expressions.ts'

const file = (text: string) => [{ path: 'server/platform/a.ts', text }]

test('an expression that takes the square of a text, or more, is refused with the text that shows it', async () => {
  const slow = [
    String.raw`[ \t]+$`,
    '0+$',
    String.raw`<head(?:\s[^>]*)?>`,
    '^(?:a+)*$',
    'a.*b',
    '(?:ab)+c',
    String.raw`\s*,`,
  ]
  for (const source of slow) {
    const { linear, reason } = await verdictOn({ source, flags: 'g' })
    assert.equal(linear, false, source)
    assert.match(reason, /polynomial|exponential/)
  }
  for (const source of [String.raw`^[ \t]+$`, '<[^<>]*>', String.raw`\bthe\b.{0,40}\bend\b`, '^(?:ab)+c']) {
    assert.deepEqual(await verdictOn({ source, flags: 'g' }), { linear: true, reason: '' }, source)
  }
})

test('a finding names the file, the line and the expression', async () => {
  const [finding, ...others] = await expressionFindings(
    file('type A = string\nconst a: A = ``\nexport const b = /x*$/'),
  )
  assert.deepEqual(others, [])
  assert.equal(finding?.line, 3)
  assert.match(finding!.message, /^\/x\*\$\/ is not linear: polynomial, /)
})

test('an expression that a function makes must be listed, since nobody can read it', async () => {
  const made = { path: 'server/platform/problem.ts', text: 'const a = (b: string) => new RegExp(b)' }
  const [finding] = await expressionFindings([made])
  assert.match(finding!.message, /cannot be read/)
})

test('every form of an expression is found, and a division is none', async () => {
  const template = `$${'{'}/y/u.test("")} /z/`
  const text = `const a = 4 / 2 / 1\nconst b = [/x/g].map((c) => c)\nconst d = \`${template}\`\nif (a) /w[/]/.test("")`
  const found = await expressionsOf(file(text))
  assert.deepEqual(
    found.map(({ source, flags, line }) => [source, flags, line]),
    [
      ['x', 'g', 2],
      ['y', 'u', 3],
      ['w[/]', '', 4],
    ],
  )
})

test('counts are made small, wherever they are counts', () => {
  assert.equal(withFewerRepeats('a{4}b{0,30}c{8,}d{1,2}e{0}'), 'a{2}b{0,3}c{2,}d{1,2}e{0}')
  assert.equal(withFewerRepeats(String.raw`\{30}[{9}]\[x{9}`), String.raw`\{30}[{9}]\[x{2}`)
})
