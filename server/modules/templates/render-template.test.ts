import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wholeText } from '../../platform/mail/mail-text.ts'
import { CompilerBusyError, compileTemplate } from './compile-template.ts'
import { mergeVariables, strangerAt } from './merge-variables.ts'
import { renderParts } from './render-parts.ts'
import { RenderError, renderMail, renderTemplate } from './render-template.ts'
import { RENDERED_HERE_STEPS_MAX } from './template-limits.ts'

async function htmlOf(body: string, variables: Record<string, unknown>): Promise<string> {
  return (await renderingOf({ body }, variables)).html
}

async function renderingOf(
  source: { subject?: string; body?: string; text?: string | null },
  variables: Record<string, unknown>,
) {
  const compilation = await compileTemplate({ subject: '', body: '', text: '', ...source })
  assert.ok(
    compilation.outcome === 'compiled',
    compilation.outcome === 'faulty' ? JSON.stringify(compilation.faults) : '',
  )
  return renderTemplate(compilation.template, variables)
}

test('values are escaped in HTML and nowhere else', async () => {
  const source = { subject: '{{ name }}', body: '<p title="{{ name }}">{{ name }}</p>', text: '{{ name | escape }}' }
  const rendering = await renderingOf(source, { name: '<b>"A" & \'B\'</b>' })
  const escaped = '&lt;b&gt;&quot;A&quot; &amp; &#39;B&#39;&lt;/b&gt;'
  assert.equal(rendering.html, `<p title="${escaped}">${escaped}</p>`)
  assert.equal(rendering.subject, '<b>"A" & \'B\'</b>')
  assert.equal(rendering.text, '<b>"A" & \'B\'</b>')
})

test('nothing is escaped twice, and what an author calls raw is not escaped', async () => {
  const variables = { name: 'A & B', lines: 'one <1>\ntwo' }
  assert.equal(await htmlOf('{{ name | escape }}', variables), 'A &amp; B')
  assert.equal(await htmlOf('{{ name | escape | default: "x" }}', variables), 'A &amp; B')
  assert.equal(await htmlOf('{{ name | escape_once }}', { name: 'A &amp; B & C' }), 'A &amp; B &amp; C')
  assert.equal(await htmlOf('{% assign n = name | escape %}{{ n }}', variables), 'A &amp; B')
  assert.equal(await htmlOf('{% capture n %}<i>{{ name }}</i>{% endcapture %}{{ n }}', variables), '<i>A &amp; B</i>')
  assert.equal(await htmlOf('{{ lines | newline_to_br }}', variables), 'one &lt;1&gt;<br>\ntwo')
  assert.equal(await htmlOf('{{ name | raw }}', variables), 'A & B')
})

test('blank space of a made text part is cut at the ends of lines, in no more time than it takes to write', async () => {
  const body = '<p>{{ a }}</p><p>{{ b }} \t</p><p>{{ c }}</p>'
  const { text } = await renderingOf({ body, text: null }, { a: 'one  ', b: `${' '.repeat(60_000)}two`, c: 'three' })
  assert.match(text, /^one\n\n +two\n\nthree$/)
})

test('a subject is one line', async () => {
  const { subject } = await renderingOf(
    { subject: ' {{ name }}\n{% if x %}\n{% endif %}for you\t ' },
    { name: 'A\r\nBcc: x@y' },
  )
  assert.equal(subject, 'A Bcc: x@y for you')
})

test('call variables win over names, names over custom fields, and absent ones are empty', async () => {
  const contact = {
    ...strangerAt(''),
    firstName: 'Ann',
    customFields: { first_name: 'Field', plan: 'gold', n: JSON.rawJSON('12345678901234567890') },
  }
  const extras = { unsubscribeUrl: 'https://p.example/u', preferencesUrl: 'https://p.example/p' }
  const text =
    '{{ email }}|{{ first_name }}|{{ last_name }}|{{ plan }}|{{ n }}|{{ unsubscribe_url }}|{{ deep.list[1].x }}'
  assert.equal(
    (await renderingOf({ text }, mergeVariables(contact, extras))).text,
    '|Ann||gold|12345678901234567890|https://p.example/u|',
  )
  const variables = { first_name: 'Call', plan: null, deep: { list: [1, { x: 'y' }] } }
  assert.equal(
    (await renderingOf({ text }, mergeVariables(contact, { ...extras, variables }))).text,
    '|Call|||12345678901234567890|https://p.example/u|y',
  )
  assert.equal((await renderingOf({ text }, mergeVariables(null, extras))).text, '|||||https://p.example/u|')
})

test('rendering changes nothing that it was given, and one message leaves nothing to the next', async () => {
  const variables = { n: 1, list: [3, 1, 2] }
  const body = '{{ list | sort | join: "," }}{% increment n %}{% assign seen = "x" %}'
  assert.equal(await htmlOf(body, variables), '1,2,31')
  assert.deepEqual(variables, { n: 1, list: [3, 1, 2] })
  assert.equal(await htmlOf('{{ seen }}{% assign seen = "x" %}', variables), '')
})

test('of a loop and of what was captured a template sees what they are for, and nothing they are made of', async () => {
  const loop =
    '{% for x in list %}{{ forloop.index }}/{{ forloop.length }}{{ forloop.last }} {{ forloop.next }}{{ forloop.i }}{% endfor %}'
  assert.equal(await htmlOf(loop, { list: [1, 2] }), '1/2false 2/2true ')
  const captured =
    '{% capture c %}<b>{% endcapture %}{{ c.size }}{{ c.html }}{{ c.toString }}{{ c.constructor }}{{ c.valueOf }}'
  assert.equal(await htmlOf(captured, {}), '3')
})

test('a date is the same on every machine', async () => {
  const when = '2026-03-29T01:30:00Z'
  assert.equal(await htmlOf('{{ when | date: "%A, %-d %B %Y %H:%M" }}', { when }), 'Sunday, 29 March 2026 01:30')
})

test('a rendering that cannot be done says which field and why', async () => {
  await assert.rejects(htmlOf('{{ x | divided_by: 0 | round: y }}{{ x | url_decode }}', { x: '%' }), (error) => {
    assert.ok(error instanceof RenderError)
    assert.equal(error.message, 'body: URI malformed')
    return true
  })
  await assert.rejects(
    renderingOf({ subject: '{{ name }}' }, { name: 'x'.repeat(2_000) }),
    /subject: has more than 1000/,
  )
})

test('what takes longer than everybody may wait is rendered in a thread, and the same comes out', async () => {
  const body =
    '<body><p>{{ name }}</p>{% for i in list %}<a href="https://x.example/{{ i }}?a=1&amp;b=2">{{ i }}</a>' +
    '{% capture seen %}<a href="https://y.example/">{{ name }}</a>{% endcapture %}{% endfor %}{{ seen }}' +
    '<a href="https://z.example/{{ seen.size }}">{{ seen.size }}</a><a href="{{ unsubscribe_url }}">stop</a></body>'
  const compilation = await compileTemplate({ subject: 'For {{ name }}', body, text: null })
  assert.ok(compilation.outcome === 'compiled')
  const { template } = compilation
  const list = Array.from({ length: Math.ceil(RENDERED_HERE_STEPS_MAX / 20) }, (_, n) => n)
  const variables = { name: '<Ann>', list, unsubscribe_url: 'https://p.example/u' }
  const rewriteLink = (url: string, index: number) => `https://t.example/${index}?${encodeURIComponent(url)}`
  const pixelUrl = 'https://t.example/o'
  const { textIsMade } = template
  const at = { parsed: template.parsed(), textIsMade, variables, pixelUrl }
  const atOnce = renderParts({ ...at, rewriteLink })
  const mail = await renderMail(template, variables, rewriteLink, { pixelUrl })
  assert.deepEqual(mail, { ...atOnce, html: wholeText(atOnce.html) })
  const looked = await renderTemplate(template, variables)
  assert.equal(looked.html, wholeText(renderParts({ ...at, rewriteLink: null, pixelUrl: null }).html))
  assert.deepEqual(looked.links.slice(-2), [
    'https://y.example/',
    `https://z.example/${'<a href="https://y.example/">&lt;Ann&gt;</a>'.length}`,
  ])
  assert.equal(looked.links.length, 2 * list.length + 1)
})

test('of requests a bounded number waits for what takes long, and they hold up no mail', async () => {
  const list = Array.from({ length: 300 }, (_, n) => n)
  const body = '{% for i in list %}{% for j in list %}{% endfor %}{% endfor %}'
  const compilation = await compileTemplate({ subject: '', body, text: '' })
  assert.ok(compilation.outcome === 'compiled')
  const { template } = compilation
  const errorOf = (error: unknown) => error
  const requests = Array.from({ length: 30 }, () => renderTemplate(template, { list }).catch(errorOf))
  const mails = Array.from({ length: 30 }, () => renderMail(template, { list }, null))
  const [looked, sent] = await Promise.all([Promise.all(requests), Promise.all(mails)])
  assert.equal(sent.length, 30)
  assert.deepEqual(
    looked.map((one) => one instanceof CompilerBusyError),
    [...Array(20).fill(false), ...Array(10).fill(true)],
  )
  assert.ok(looked.slice(0, 20).every((one) => !(one instanceof Error)))
})

test('a message that takes more than any may is told so, wherever it is rendered', async () => {
  const list = Array.from({ length: 400 }, (_, n) => n)
  const body = '{% for i in list %}{% for j in list %}{% endfor %}{% endfor %}'
  await assert.rejects(htmlOf(body, { list }), (error) => {
    assert.ok(error instanceof RenderError)
    assert.equal(error.message, 'body: takes more than 100000 steps to render')
    return true
  })
})
