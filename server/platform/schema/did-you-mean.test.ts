import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from 'typebox'
import { compileItemCheck } from './item-check.ts'
import { closed } from './schemas.ts'

const Mail = closed(
  'Mail',
  {
    destination: Type.String(),
    scheduledAt: Type.Optional(Type.String()),
    html: Type.Optional(Type.String()),
    parts: Type.Optional(Type.Array(closed({ fileName: Type.String() }))),
  },
  { otherNames: { destination: ['to'], html: ['htmlBody'] } },
)
const check = compileItemCheck(Mail)

function suggested(item: object): (string | undefined)[] {
  const checked = check({ destination: 'x', ...item })
  assert.ok('errors' in checked)
  return checked.errors.map(({ detail }) => /^is not a known field(?:; did you mean (\w+)\?)?$/.exec(detail)?.[1])
}

test('a field that is written otherwise, called so elsewhere or mistyped is named', () => {
  assert.deepEqual(suggested({ scheduled_at: 'x' }), ['scheduledAt'])
  assert.deepEqual(suggested({ To: 'x' }), ['destination'])
  assert.deepEqual(suggested({ HtmlBody: 'x' }), ['html'])
  assert.deepEqual(suggested({ destinaton: 'x' }), ['destination'])
  assert.deepEqual(suggested({ parts: [{ fileName: 'a', filename: 'b' }] }), ['fileName'])
})

test('what resembles nothing is only refused, whatever it is called', () => {
  for (const name of ['colour', 'x', '', '__proto__x', 'constructor', 'a'.repeat(10_000)])
    assert.deepEqual(suggested({ [name]: 1 }), [undefined], name.slice(0, 20))
})
