import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Template, toValueSync } from 'liquidjs'
import { wholeText } from '../../../platform/mail/mail-text.ts'
import { compileTemplate } from '../compile-template.ts'
import { RenderError, renderMail } from '../render-template.ts'
import { BoundedContext, BoundedEmitter } from './bounded-context.ts'
import { htmlEngine, textEngine } from './liquid-engine.ts'
import { parseLiquid } from './parse-liquid.ts'
import { RenderBudget } from './render-budget.ts'
import { renderNodes } from './render-nodes.ts'

async function rendered(body: string, variables: Record<string, unknown> = {}): Promise<string> {
  const compilation = await compileTemplate({ subject: 's', body, text: '' })
  assert.ok(compilation.outcome === 'compiled')
  return wholeText((await renderMail(compilation.template, variables, (url, index) => `${index}:${url}`)).html)
}

test('nodes of ours and of the library stand in their order, in blocks and links too', async () => {
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

test('the innermost scope that has a name decides, and a loop leaves nothing behind', async () => {
  const body =
    '{% assign x = "assigned" %}{{ x }},{{ y.z["k"] }},{% for x in list %}{{ x }}{% for x in (8..9) %}{{ x }}{% endfor %}{{ x }};{% endfor %}{{ x }}' +
    '{% for i in list %}{% cycle "a", "b" %}{% increment n %}{% break %}{% endfor %}{{ i }}{{ constructor }}{{ n }}'
  assert.equal(
    await rendered(body, { x: 'given', y: { z: { k: 'deep' } }, list: [1, 2] }),
    'assigned,deep,1891;2892;assigneda01',
  )
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

test('whatever stands in an output, it is written as the library writes it', () => {
  const operands = [
    'x',
    'list',
    'a.b',
    'a["b"].c',
    'a[key]',
    'list[1]',
    'list.size',
    'nil',
    'true',
    '"q"',
    '-1.5',
    '(1..3)',
  ]
  const operators = ['', ' == 1', ' and x', ' contains "q"']
  const filters = [
    '',
    ' | upcase',
    ' | default: x',
    ' | append: a.b.c | raw',
    ' | default: false, allow_false: true',
    ' | escape',
  ]
  const around = [
    ['', ''],
    ['{% for x in list %}', '{% endfor %}'],
    ['{% assign x = "<y>" %}', ''],
    ['{% capture x %}<z>{{ a.b.c }}{% endcapture %}', ''],
    ['{% if x %}', '{% endif %}'],
  ]
  const variables = { x: '<x>', list: ['<1>', 2], a: { b: { c: '&' } }, key: 'b' }
  for (const engine of [htmlEngine, textEngine]) {
    const written = (
      nodes: Template[],
      render: (nodes: Template[], ...to: [BoundedContext, BoundedEmitter]) => unknown,
    ) => {
      const context = new BoundedContext(engine, variables, {
        budget: new RenderBudget(),
        ...{ rewriteLink: null, pixelUrl: null, untracked: [] },
      })
      const emitter = new BoundedEmitter(context.budget)
      toValueSync(render(nodes, context, emitter))
      return emitter.text
    }
    for (const operand of operands)
      for (const operator of operators)
        for (const filter of filters)
          for (const [before, after] of around) {
            const source = `${before}{{ ${operand}${operator}${filter} }}${after}`
            const library = written(engine.parse(source), (...given) => engine.renderer.renderTemplates(...given))
            assert.equal(written(parseLiquid(engine, source), renderNodes), library, source)
          }
  }
})
