import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileTemplate } from '../compile-template.ts'
import { RenderError, renderTemplate } from '../render-template.ts'

async function rendered(body: string, variables: Record<string, unknown> = {}): Promise<string> {
  const compilation = await compileTemplate({ subject: 's', body, text: '' })
  assert.ok(compilation.outcome === 'compiled')
  return renderTemplate(compilation.template, variables, (url, index) => `${index}:${url}`).html
}

test('what is written at once and what is not stand in their order, in blocks and links too', async () => {
  const body =
    'a {{ x }} {% if x %}b {{ x }} {% for n in list %}{{ n }}{% if n == 2 %}{% break %}{% endif %}, {% endfor %}c{% endif %}' +
    '<a href="https://a.example/{{ x }}">d</a><a href="https://a.example/{% if x %}{{ x }}{% else %}z{% endif %}/e">f</a>{{ x }}'
  assert.equal(
    await rendered(body, { x: 'X', list: [1, 2, 3] }),
    'a X b X 1, 2c<a href="0:https://a.example/X">d</a><a href="1:https://a.example/X/e">f</a>X',
  )
})

test('a loop that was left writes no more than the library writes after it', async () => {
  const cases = [
    ['{% for i in (1..3) %}a{{ i }}{% if i == 2 %}{% continue %}{% endif %}b{% endfor %}c', 'a1ba2a3bc'],
    ['{% for i in (1..3) %}a{{ i }}{% break %}b{{ i }}{% endfor %}c', 'a1c'],
    ['{% case 1 %}{% when 1 %}{% break %}{% when 1 %}a{{ 2 }}c{% endcase %}d', 'a'],
    [
      '{% tablerow i in (1..3) %}a{{ i }}b{% break %}{% endtablerow %}',
      '<tr class="row1"><td class="col1">a1b</td><td class="col2">a</td><td class="col3">a</td></tr>',
    ],
  ]
  for (const [body, html] of cases) assert.equal(await rendered(body!), html, body)
})

test('a turn of a loop is paid for even if nothing stands in it', async () => {
  const list = Array.from({ length: 400 }, (_, n) => n)
  const body = '{% for i in list %}{% for j in list %}{% endfor %}{% endfor %}'
  await assert.rejects(rendered(body, { list }), /takes more than 100000 steps/)
})

test('an error in an output says what is wrong, wherever the output stands', async () => {
  const places = [
    '{{ "now" | date: y }}',
    '{% if true %}{{ "now" | date: y }}{% endif %}',
    '<a href="https://a.example/{{ "now" | date: y }}">x</a>',
  ]
  for (const body of places) {
    await assert.rejects(rendered(body, { y: '%Y'.repeat(5_000) }), (error: unknown) => {
      assert.ok(error instanceof RenderError, String(error))
      assert.match(error.detail, /date format/)
      return true
    })
  }
})
