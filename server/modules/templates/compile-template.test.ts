import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wholeText } from '../../platform/mail/mail-text.ts'
import { compileTemplate, type TemplateSource } from './compile-template.ts'
import { mergeVariables } from './merge-variables.ts'
import { type RenderedTemplate, renderMail, renderTemplate } from './render-template.ts'

const mjml = (content: string) => `<mjml><mj-body>${content}</mj-body></mjml>`
const column = (content: string) => mjml(`<mj-section><mj-column>${content}</mj-column></mj-section>`)

async function compiled(source: Partial<TemplateSource>) {
  const compilation = await compileTemplate({ subject: 'Hello', body: '', text: null, ...source })
  assert.ok(
    compilation.outcome === 'compiled',
    compilation.outcome === 'faulty' ? JSON.stringify(compilation.faults) : '',
  )
  return compilation
}

async function rendered(
  source: Partial<TemplateSource>,
  variables: Record<string, unknown>,
): Promise<RenderedTemplate> {
  return renderTemplate((await compiled(source)).template, variables)
}

async function faultsOf(source: Partial<TemplateSource>) {
  const compilation = await compileTemplate({ subject: 'Hello', body: '', text: null, ...source })
  assert.ok(compilation.outcome === 'faulty', 'is compiled')
  return compilation.faults
}

test('MJML becomes HTML with the Liquid of each person, and a text part with the same words', async () => {
  const body = column(
    '<mj-text>Dear {{ first_name | default: "friend" }},</mj-text>' +
      '<mj-button href="https://shop.example/?a=1&amp;for={{ email | url_encode }}">To the shop</mj-button>',
  )
  const ann = await rendered({ subject: 'For {{ first_name }}', body }, { first_name: 'Ann', email: 'ann@x.example' })
  assert.equal(ann.subject, 'For Ann')
  assert.match(ann.html, /^<!doctype html>[\s\S]*>Dear Ann,<\/div>/)
  assert.match(ann.html, /href="https:\/\/shop\.example\/\?a=1&amp;for=ann%40x\.example"/)
  assert.equal(ann.text, 'Dear Ann,\n\nTo the shop <https://shop.example/?a=1&for=ann%40x.example>')
  const nobody = await rendered({ body }, {})
  assert.match(nobody.html, />Dear friend,</)
})

test('Liquid between MJML elements decides which of them a person sees', async () => {
  const section = (text: string) => `<mj-section><mj-column><mj-text>${text}</mj-text></mj-column></mj-section>`
  const body = `{% assign plan = plan | downcase %}
    ${mjml(`{% if plan == 'gold' %}${section('Gold')}{% else %}${section('All')}{% endif %}
      <mj-section>{% for name in names %}<mj-column><mj-text>{{ name }}</mj-text></mj-column>{% endfor %}</mj-section>`)}`
  const gold = await rendered({ body }, { plan: 'GOLD', names: ['one', 'two'] })
  assert.equal(gold.text, 'Gold\n\none\n\ntwo')
  assert.ok(!gold.html.includes('>All<') && gold.html.includes('>two<'))
  const other = await rendered({ body }, { plan: 'Silver' })
  assert.equal(other.text, 'All')
})

test('what Liquid quotes and compares is nothing to MJML, HTML or the text part', async () => {
  const body = column(
    '<mj-text css-class="{{ kind | replace: \'"\', "<" }}">{% if 1 < 2 and "a>b" contains ">" %}<b>{{ "x" | append: "</b>" }}</b>{% endif %}</mj-text>' +
      '<mj-text color="{{ color }}" padding="{{ space }}px 0">{% raw %}{{ as it is }}{% endraw %}</mj-text>',
  )
  const { html, text } = await rendered({ body }, { kind: 'k', color: '#f00', space: 4 })
  assert.match(html, /class="k"/)
  assert.match(html, /<b>x&lt;\/b&gt;<\/b>/)
  assert.match(html, /padding:4px 0;[\s\S]*color:#f00;/)
  assert.equal(text, 'x</b>\n\n{{ as it is }}')
})

test('brackets of Liquid that are written as characters are words, in the text part too', async () => {
  const body = column('<mj-text>Hi &#123;{ first_name and &#123;% if {{ name }}</mj-text>')
  const { html, text } = await rendered({ body }, { name: 'Ada' })
  assert.match(html, />Hi &#123;\{ first_name and &#123;% if Ada</)
  assert.equal(text, 'Hi {{ first_name and {% if Ada')
})

test('a body that is no MJML is sent as it is written, and makes a text part too', async () => {
  const body =
    '<h1>Hi {{ name }}</h1>\n<p>See <a href="https://x.example/{{ id }}">this</a></p><style>p { color: red }</style>'
  const { html, text } = await rendered({ body }, { name: 'Ann', id: 7 })
  assert.ok(html.startsWith('<h1>Hi Ann</h1>\n<p>See <a href="https://x.example/7">this</a></p>'))
  assert.equal(text, 'Hi Ann\n\nSee this <https://x.example/7>')
  assert.equal((await rendered({ body: 'Only {{ name }}' }, { name: 'words' })).html, 'Only words')
})

test('the rows of a table are lines of the text part, also those made in a loop', async () => {
  const row = '{% for item in items %}\n<tr><td>{{ item }}</td><td>{{ forloop.index }}</td></tr>\n{% endfor %}'
  const body = column(`<mj-text>Yours:</mj-text><mj-table>${row}<tr><td>all</td><td>2</td></tr></mj-table>`)
  const { text } = await rendered({ body }, { items: ['one', 'two'] })
  assert.equal(text, 'Yours:\n\none 1\ntwo 2\nall 2')
})

test('words that no reader sees are not in the text part, however they are hidden', async () => {
  const body = column('<mj-text>Words</mj-text>').replace(
    '<mj-body>',
    '<mj-head><mj-preview>Of MJML</mj-preview></mj-head><mj-body>',
  )
  assert.equal((await rendered({ body }, {})).text, 'Words')
  const hidden = [
    '<div style="display:none">Preview {{ name }}</div>',
    '<span style="color: transparent; display: none; mso-hide: all">Preview</span>',
    '<table><tr><td style="font-size:1px;DISPLAY: NONE !important">Preview</td></tr></table>',
    '<p hidden>Preview</p>',
  ].join('\n')
  const { html, text } = await rendered(
    { body: `<body>\n${hidden}\n<p style="display:block">Words</p></body>` },
    { name: 'Ann' },
  )
  assert.match(html, /Preview Ann/)
  assert.equal(text, 'Words')
})

test('tags among hidden words hold for the text part, whose words they decide on', async () => {
  const hide = (content: string) => `<div style="display: none">${content}</div>`
  const body = [
    hide('{% assign of = plan | upcase %}{% if of == "GOLD" %}Rich{% endif %} {{ of }}'),
    '<p>{{ of }}</p>',
    `${hide('{% if plan == "gold" %}')}<p>Yours</p>${hide('{% endif %}')}`,
    '<p>All</p>',
  ].join('\n')
  assert.equal((await rendered({ body }, { plan: 'gold' })).text, 'GOLD\n\nYours\n\nAll')
  assert.equal((await rendered({ body }, { plan: 'none' })).text, 'NONE\n\nAll')
})

test('a picture is its alternative text in the text part, which says where its link leads', async () => {
  const picture = (alt: string, href = '') => `<mj-image src="https://x.example/a.png" alt="${alt}"${href} />`
  const body = column(
    `${picture('Sale &amp; more, {{ name }}', ' href="https://x.example/sale"')}${picture('A chair')}${picture('')}`,
  )
  const { text } = await rendered({ body }, { name: 'Ann' })
  assert.equal(text, 'Sale & more, Ann <https://x.example/sale>\n\nA chair')
})

test('addresses of links are whole in the text part, and of nothing else', async () => {
  const body = [
    '<a href=" https://x.example/a ">one</a>',
    '<a href="mailto:ann@x.example">ann@x.example</a>',
    '<a href="mailto:ann@x.example?subject=Hi">write</a>',
    '<a href="tel:+491234">call</a>',
    '<a href="#below">below</a>',
  ].join(' ')
  const { text } = await rendered({ body }, {})
  const written = 'write <mailto:ann@x.example?subject=Hi>'
  assert.equal(text, `one <https://x.example/a> ann@x.example ${written} call <tel:+491234> below`)
})

test('a space, and a cell without words, leave no blanks in the text part', async () => {
  const social = (name: string) => `<mj-social-element href="https://${name}.example/">${name}</mj-social-element>`
  const body = column(
    `<mj-text>Above</mj-text><mj-spacer height="24px" /><mj-text>a&nbsp; &nbsp;b</mj-text>
    <mj-social mode="vertical">${social('one')}${social('two')}</mj-social>
    <mj-table><tr><td></td><td>{{ name }}</td><td> </td><td>7</td></tr></mj-table>`,
  )
  const { text } = await rendered({ body }, { name: 'Ann' })
  assert.equal(text, 'Above\n\na b\n\none <https://one.example/>\n\ntwo <https://two.example/>\n\nAnn 7')
})

test('a text part that is given is rendered as it is written', async () => {
  const { text } = await rendered({ body: '<p>Hello</p>', text: 'Dear {{ name }},\n\n\n\nyes. ' }, { name: 'A & B' })
  assert.equal(text, 'Dear A & B,\n\n\n\nyes. ')
})

test('faults name the field and the line they are in', async () => {
  assert.deepEqual(await faultsOf({ subject: 'Hi {{ name', text: '\n\n{% if x %}' }), [
    { field: 'subject', line: 1, detail: 'output "{{ name" not closed' },
    { field: 'text', line: 3, detail: 'tag {% if x %} not closed' },
  ])
  assert.deepEqual(await faultsOf({ subject: '{{', body: '<mjml></mjml></mj-body>' }), [
    { field: 'subject', line: 1, detail: 'output "{{" not closed' },
    { field: 'body', line: 1, detail: '</mj-body> closes nothing that is open' },
  ])
  assert.deepEqual(await faultsOf({ body: '<p>\n{{ name | shout }}\n</p>' }), [
    { field: 'body', line: 2, detail: 'undefined filter: shout' },
  ])
  assert.deepEqual(await faultsOf({ body: mjml('\n<mj-section>\n<mj-colum></mj-colum></mj-section>') }), [
    { field: 'body', line: 3, detail: "mj-colum: Element mj-colum doesn't exist or is not registered" },
  ])
  assert.deepEqual(await faultsOf({ body: '<mjml>\n<mj-body>\n<mj-section>\n</mj-body></mjml>' }), [
    { field: 'body', line: 4, detail: '</mj-body> closes nothing that is open' },
    { field: 'body', line: 4, detail: '</mjml> closes nothing that is open' },
    { field: 'body', line: 1, detail: 'mjml is not closed' },
    { field: 'body', line: 2, detail: 'mj-body is not closed' },
    { field: 'body', line: 3, detail: 'mj-section is not closed' },
  ])
  const [fault] = await faultsOf({ body: column('\n<mj-text color="reddish">x</mj-text>') })
  assert.equal(fault?.line, 2)
  assert.match(fault?.detail ?? '', /^mj-text: Attribute color has invalid value: reddish/)
  assert.match((await faultsOf({ body: '<mj-section></mj-section>' }))[0]!.detail, /must stand inside <mjml>/)
  assert.match((await faultsOf({ body: column('<mj-text {{ x }}>a</mj-text>') }))[0]!.detail, /attributes of mj-text/)
})

test('a line is that of the author, however many lines a tag before it has', async () => {
  const [fault] = await faultsOf({ body: '<p>{{ a\n| append:\n"b" }}</p>\n{% nonsense %}' })
  assert.deepEqual(fault, { field: 'body', line: 4, detail: 'the tag “nonsense” is not offered' })
  const [mjmlFault] = await faultsOf({ body: column('<mj-text>{{ a\n| append:\n"b" }}</mj-text>\n<mj-txt/>') })
  assert.equal(mjmlFault?.line, 4)
})

test('what would be dropped or left empty is warned of', async () => {
  const { warnings } = await compiled({
    subject: ' ',
    body: mjml('\n<mj-section>Hello<mj-column foo="1"></mj-column></mj-section>'),
  })
  assert.deepEqual(warnings, [
    { field: 'body', line: 2, detail: 'text directly in mj-section is not shown; mj-text shows it' },
    { field: 'body', line: 2, detail: 'mj-column: Attribute foo is illegal' },
    { field: 'subject', line: null, detail: 'is empty' },
  ])
  const sized = await compiled({
    body: mjml('<mj-section padding="{{ n }}px"><mj-column><mj-image src="x"/></mj-column></mj-section>'),
  })
  assert.match(sized.warnings[0]?.detail ?? '', /Liquid in a size that MJML computes with/)
})

test('the links of the HTML part are found once and rewritten for each message, in loops too', async () => {
  const body =
    '<body><a href="https://x.example/?a=1&amp;b=2">one</a>{% for i in (1..2) %}<a href="{{ base }}{{ i }}">n</a>{% endfor %}' +
    '<a href="#top">top</a><a href="mailto:a@x.example">mail</a><a data-track="off" href="https://y.example/">y</a>' +
    '<a href="{{ unsubscribe_url }}">stop</a><!-- <a href="https://no.example/"> --></body>'
  const { template } = await compiled({ body, text: 'https://x.example/' })
  assert.deepEqual(template.links, [
    'https://x.example/?a=1&amp;b=2',
    '{{ base }}{{ i }}',
    'mailto:a@x.example',
    '{{ unsubscribe_url }}',
  ])
  const seen: [string, number][] = []
  const variables = mergeVariables(null, {
    unsubscribeUrl: 'https://p.example/u?a=1&b=2',
    preferencesUrl: 'https://p.example/p',
    variables: { base: 'https://z.example/"&' },
  })
  const { html: pieces, text } = await renderMail(
    template,
    variables,
    (url, index) => {
      seen.push([url, index])
      return `https://t.example/?${index}&"`
    },
    { pixelUrl: 'https://t.example/o?a=1&b=2' },
  )
  const html = wholeText(pieces)
  assert.deepEqual(seen, [
    ['https://x.example/?a=1&b=2', 0],
    ['https://z.example/"&1', 1],
    ['https://z.example/"&2', 1],
  ])
  assert.equal(html.match(/href="https:\/\/t\.example\/\?\d&amp;&quot;"/g)?.length, 3)
  assert.match(html, /href="https:\/\/p\.example\/u\?a=1&amp;b=2"/)
  assert.match(html, /<img src="https:\/\/t\.example\/o\?a=1&amp;b=2"[^>]*><\/body>$/)
  assert.equal(text, 'https://x.example/')
})

test('without a body element the pixel stands at the end, also behind the last link', async () => {
  const { template } = await compiled({ body: '<a href="https://x.example/">x</a>' })
  const { html } = await renderMail(template, {}, () => 'https://t.example/', { pixelUrl: 'https://t.example/o' })
  assert.match(wholeText(html), /^<a href="https:\/\/t\.example\/">x<\/a><img src="https:\/\/t\.example\/o"[^>]*>$/)
})

test('it tells which variables a template reads', async () => {
  const source = {
    subject: '{{ a }}',
    body: '{% assign x = b %}{{ x }}{% for c in d %}{{ c.e }}{% endfor %}',
    text: '{{ f.g }}',
  }
  assert.deepEqual((await compiled(source)).template.variables, ['a', 'b', 'd', 'f'])
})
