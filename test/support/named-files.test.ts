import assert from 'node:assert/strict'
import test from 'node:test'
import { nameFindings } from './named-files.ts'

const PATHS = ['server/main.ts', 'server/modules/x/do-it.ts', 'server/modules/x/x-queries.ts', 'migrations/0001_a.sql']

function messages(text: string): string[] {
  return nameFindings([{ path: 'README.md', text }], PATHS).map(({ line, message }) => `${line} ${message}`)
}

test('files are named from the root, from any folder, in part, and several at once', () => {
  const named = ['server/main.ts', 'main.ts', 'x/do-it.ts', 'modules/x/{do-it,x-queries}.ts', '*-queries.ts']
  const open = ['migrations/<number>_<name>.sql', 'server/modules/<name>', 'server/modules/', 'modules/{x}/do-it.ts']
  assert.deepEqual(messages([...named, ...open].map((name) => `\`${name}\``).join('\n')), [])
})

test('a file that is not there is told with its line', () => {
  const text =
    'Text\n`server/gone.ts` and `x/do.ts`\n`it.ts`, `x/{do-it,gone}.ts`\n`server/modules/y`\n`migrations/<a>.md`\n'
  const names = ['server/gone.ts', 'x/do.ts', 'it.ts', 'x/gone.ts', 'server/modules/y', 'migrations/<a>.md']
  const lines = [2, 2, 3, 3, 4, 5]
  const expected = names.map((name, index) => `${lines[index]} names \`${name}\`, which is no file of the project`)
  assert.deepEqual(messages(text), expected)
})

test('what is no name of a file is not taken for one', () => {
  assert.deepEqual(
    messages('`npm run gone.ts` `/api/events` `Config` `utils.ts`, `types.ts` `2.5` `https://x.org/a`'),
    [],
  )
})
