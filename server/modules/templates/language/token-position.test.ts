import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Token, TokenKind } from 'liquidjs'
import { htmlEngine } from './liquid-engine.ts'

class Piece extends Token {}
const at = (input: string, begin: number) => new Piece(TokenKind.HTML, input, begin, begin + 1).getPosition()

test('a token`s row and column are counted from 1, and each line feed begins a row', () => {
  const source = 'one\ntwo\r\n\n😀{{ x }}'
  assert.deepEqual(at(source, 0), [1, 1])
  assert.deepEqual(at(source, 3), [1, 4])
  assert.deepEqual(at(source, 4), [2, 1])
  assert.deepEqual(at(source, 9), [3, 1])
  assert.deepEqual(at(source, source.indexOf('{{')), [4, 3])
  assert.deepEqual(at('', 0), [1, 1])
})

test('a variable is listed where it stands', () => {
  const templates = htmlEngine.parse('a\n  {{ first }}')
  const { variables } = htmlEngine.parseAndAnalyzeSync('a\n  {{ first }}')
  assert.equal(templates.length, 2)
  assert.deepEqual(
    variables.first?.map(({ location }) => [location.row, location.col]),
    [[2, 6]],
  )
})

test('variables are listed in time that grows with the source, not with its square', () => {
  const spent = (parts: number) => {
    const templates = htmlEngine.parse(' '.repeat(300 * parts) + '{{ x }}'.repeat(parts))
    const before = process.threadCpuUsage()
    htmlEngine.globalVariablesSync(templates)
    const { user, system } = process.threadCpuUsage(before)
    return user + system
  }
  spent(300)
  const [few, many] = [Math.min(spent(300), spent(300)), spent(3_000)]
  // Ten times the source: ten times the time, and a hundred times with a square.
  assert.ok(many < 50 * Math.max(few, 500), `${few} us for 300 parts, ${many} us for 3,000`)
})
