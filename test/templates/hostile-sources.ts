import type { TemplateSource } from '../../server/modules/templates/compile-template.ts'

/** Secrets that a run hides where no template may look. */
export type Canaries = { path: string; name: string }
export type HostileSource = TemplateSource & { kind: string }

type Random = () => number
type Maker = (random: Random, canaries: Canaries) => string

const pick = <T>(random: Random, list: readonly T[]): T => list[Math.floor(random() * list.length)]!
const between = (random: Random, low: number, high: number) => Math.floor(low + random() * (high - low + 1))
const mjml = (content: string, head = '') => `<mjml><mj-head>${head}</mj-head><mj-body>${content}</mj-body></mjml>`
const column = (content: string) => mjml(`<mj-section><mj-column>${content}</mj-column></mj-section>`)
const nested = (open: string, inner: string, close: string) => (depth: number) =>
  `${open.repeat(depth)}${inner}${close.repeat(depth)}`

/** Ever more rounds, with something costly in the innermost. */
const loops: Maker = (random) => {
  const depth = between(random, 1, 8)
  const rounds = pick(random, [3, 50, 1_000, 100_000, 2 ** 31, 1e15])
  const inner = pick(random, [
    '',
    'x'.repeat(1_000),
    '{{ i0 | append: s | upcase | replace: "a", "bb" | size }}',
    '{% assign s = s | append: s %}',
    '{% capture c %}{{ c }}{{ s }}{% endcapture %}',
    '{% if s contains "aaaaaaaaab" %}{% endif %}',
    '{% case i0 %}{% when 1,2,3,4,5,6,7,8,9 or 10 %}{% endcase %}',
    '{% cycle "a","b","c" %}{{ "now" | date: "%s" }}',
    '{% increment n %}{% if 1 %}{% break %}{% endif %}',
    '{{ a.b.c.d.e.f.g.h[0][1]["x"] }}',
  ])
  const open = Array.from({ length: depth }, (_, n) => `{% for i${n} in (1..${rounds}) %}`).join('')
  return `{% assign s = "a" %}${open}${inner}${'{% endfor %}'.repeat(depth)}`
}

/** Values that grow with every step. */
const growth: Maker = (random) => {
  const step = pick(random, [
    '{% assign s = s | append: s %}',
    '{% assign s = s | prepend: s %}',
    '{% assign s = s | replace: "a", s %}',
    '{% assign s = s | replace: "", s %}',
    '{% assign s = s | split: "" | join: s %}',
    '{% capture s %}{{ s }}{{ s }}{% endcapture %}',
    '{% assign l = l | concat: l %}{% assign s = l | join: "," %}',
    '{% assign s = s | split: "" | array_to_sentence_string: s %}',
    '{% assign s = s | url_encode | url_encode | escape | base64_encode %}',
    '{% assign s = s | truncate: 9, s | append: s %}',
    '{% assign s = l | json | append: s %}',
  ])
  return `{% assign s = "${'a&<%'.repeat(between(random, 1, 200))}" %}{% assign l = s | split: "a" %}${step.repeat(between(random, 10, 400))}{{ s }}`
}

/** Looking for what is nearly there everywhere. */
const searches: Maker = (random) => {
  const long = 'a'.repeat(between(random, 100, 1_900))
  const big = `{% assign s = "${long}" %}${'{% assign s = s | append: s %}'.repeat(between(random, 1, 10))}`
  const needle = `{% assign n = "b${long.slice(0, between(random, 1, long.length))}" %}${'{% assign n = n | append: n %}'.repeat(between(random, 0, 6))}`
  const use = pick(random, [
    '{{ s | replace: n, "" | size }}',
    '{{ s | split: n | size }}',
    '{{ s | remove_last: n | size }}',
    '{% if s contains n %}{% endif %}',
    '{% if s == n or s > n %}{% endif %}',
    '{{ s | strip: n | strip_html | squish | slugify | size }}',
    '{{ s | strip: n | strip_html | squish | number_of_words | size }}',
    '{{ s | truncatewords: 1000000 | normalize_whitespace | size }}',
  ])
  return `${big}${needle}{% for i in (1..${between(random, 1, 20_000)}) %}${use}{% endfor %}`
}

/** Tags and expressions that are long or deep themselves. */
const shapes: Maker = (random) => {
  const depth = between(random, 2, 20_000)
  return pick(random, [
    nested('{% if 1 %}', 'x', '{% endif %}'),
    nested('{% for i in (1..9) %}', 'x', '{% endfor %}'),
    nested('{% capture a %}', 'x', '{% endcapture %}'),
    nested('{% comment %}', 'x', '{% endcomment %}'),
    (n: number) => '{% raw %}'.repeat(n),
    (n: number) => '{% endif %}'.repeat(n),
    (n: number) => `{{ ${'a['.repeat(n)}1${']'.repeat(n)} }}`,
    (n: number) => `{{ ${'('.repeat(n)}1${'..2)'.repeat(n)} }}`,
    (n: number) => `{{ a${'.a'.repeat(n)} }}`,
    (n: number) => `{{ a${' | upcase'.repeat(n)} }}`,
    (n: number) => `{% if a${' or a'.repeat(n)} %}{% endif %}`,
    (n: number) => `{% for i in (1..5000) %}{% if a${' and 1'.repeat(n % 250)} %}{% endif %}{% endfor %}`,
    (n: number) =>
      `{% for i in (1..50000) %}{% case 0 %}${`{% when ${'1,'.repeat(400)}1 %}`.repeat(n % 60)}{% endcase %}{% endfor %}`,
    (n: number) => `{% for i in (1..50000) %}{% if nil %}${'{% elsif nil %}'.repeat(n % 4_000)}{% endif %}{% endfor %}`,
    (n: number) => `{% for i in (1..50000) %}{% cycle ${'"a",'.repeat(n % 400)}"b" %}{% endfor %}`,
    (n: number) => `${'{{'.repeat(n)}`,
    (n: number) => `${'{%'.repeat(n)}`,
    (n: number) => `${'{{ "'.repeat(n)}`,
    (n: number) => `{{ "${'\\'.repeat(n)}" }}`,
    (n: number) => `{% assign ${'a'.repeat(n)} = 1 %}`,
    (n: number) => '{{ x }}'.repeat(n),
  ])(depth)
}

/** Dates, numbers and lists at their ends. */
const values: Maker = (random) =>
  pick(random, [
    `{{ "now" | date: "%${'9'.repeat(between(random, 1, 12))}d" }}`,
    `{{ "now" | date: "${'%^#0-'.repeat(between(random, 1, 300))}" }}`,
    '{{ "now" | date: "%Y", "Nowhere/Never" }}',
    `{{ "${'9'.repeat(300)}" | times: "${'9'.repeat(300)}" | round: 99999999 }}`,
    '{{ 1 | divided_by: 0 | modulo: 0 | floor }}',
    '{{ "x" | slice: -99999999999, 99999999999 }}',
    '{{ (1..999999999999) | size }}',
    '{{ (1..700000) | sort | reverse | uniq | compact | join: "x" | size }}',
    '{{ (1..700000) | map: "x" | where: "y", 1 | sum }}',
    '{% assign l = (1..900) %}{% for i in l %}{{ l | where: "size", i | map: "x" | sort_natural | join }}{% endfor %}',
    '{% tablerow i in (1..9999999) cols:1 %}x{% endtablerow %}',
    '{% tablerow i in (1..99999) cols:-1 limit:1e9 offset:-5 %}x{% endtablerow %}',
    '{% for i in (1..9) limit: "x" offset: "y" reversed %}{{ i }}{% endfor %}{% for i in (1..9) offset: continue %}x{% endfor %}',
    '{{ deep | json }}{% for i in (1..10000) %}{{ deep | json | size }}{% endfor %}',
    '{{ "%" | url_decode }}{{ "é" | base64_decode }}',
    `{{ "${'&'.repeat(1_000)}" | escape | escape_once | newline_to_br | strip_html | escape }}`,
  ])

/** Much work for one step each: what is long already is looked at as a whole, again and again. */
const wholes: Maker = (random) => {
  const use = pick(random, [
    `{{ "now" | date: "${'%B%A%^a'.repeat(between(random, 1, 28))}" | size }}`,
    '{{ "now" | date: "%c", "America/St_Johns" }}{{ i | date: "%B" }}',
    '{% assign m = i | modulo: 60 %}{% assign z = "+1" | append: m | append: ":" | append: m %}{{ i | date: "%c", z }}',
    '{{ many | sort | size }}{{ many | sort_natural | first }}',
    '{{ words | sort_natural | first | size }}',
    '{% if many == many or deep == deep %}{% endif %}',
    '{% if many contains "nobody" %}{% endif %}',
    '{% case many %}{% when many %}{% endcase %}',
    '{% for x in many reversed %}{% break %}{% endfor %}',
    '{% for x in deep reversed limit: 1 offset: 1 %}{% endfor %}{% tablerow x in many limit: 1 %}{% endtablerow %}',
    '{{ many | uniq | compact | concat: many | size }}{{ many | join | size }}',
    '{{ many | map: "x" | sum }}{{ many | where: "x" | size }}{{ many | reject: "x", 1 | size }}',
    '{{ many | json | size }}{{ many | append: "" | size }}{{ many }}',
    '{{ many | array_to_sentence_string | strip_html | escape_once | truncatewords: 9 }}',
    '{{ many | first }}{{ many | last }}{{ many | size }}{{ many | default: many | size }}',
    '{% assign a = many %}{% capture c %}{{ many }}{% endcapture %}{{ c | upcase | size }}',
    '{{ words | join | split: "" | sort | join | url_encode | url_decode | base64_encode | size }}',
  ])
  return `{% for i in (1..${pick(random, [1, 100, 20_000, 99_000])}) %}${use}{% endfor %}`
}

const NAMES = [
  'constructor',
  '__proto__',
  'prototype',
  'toString',
  'valueOf',
  'hasOwnProperty',
  '__defineGetter__',
  '__lookupGetter__',
  'process',
  'globalThis',
  'require',
  'module',
  'global',
  'this',
  'env',
  'budget',
  'extras',
  'context',
  'liquid',
  'forloop',
  'html',
  'liquidMethodMissing',
]

/** Reaching for what belongs to the program. */
const prototypes: Maker = (random, { name }) => {
  const [a, b, c] = [pick(random, NAMES), pick(random, NAMES), pick(random, NAMES)]
  return pick(random, [
    `{{ ${a} }}{{ ${a}.${b} }}{{ ${a}.${b}.${c} }}`,
    `{{ first_name.${a} }}{{ first_name["${a}"]["${b}"] }}{{ list.${a}.${b} }}{{ deep["${a}"].${b} }}`,
    `{{ process.env.${name} }}{{ ${a}.process.env.${name} }}{{ globalThis["process"]["env"]["${name}"] }}`,
    `{{ list | map: "${a}" | map: "${b}" | first }}{{ list | where: "${a}", "${b}" }}{{ list | sum: "${a}.${b}" }}`,
    `{{ "x" | ${a} }}`,
    `{{ "x" | ${a}: "${b}", "return process.env.${name}" }}`,
    `{% ${a} %}{% end${a} %}`,
    `{% assign ${a} = "polluted" %}{% assign x = ${a}.${b} %}{{ x }}{{ ${a} }}`,
    `{% capture ${a} %}polluted{% endcapture %}{{ ${a}.${b} }}`,
    `{% increment ${a} %}{% decrement ${b} %}{{ ${a} }}`,
    `{% for ${a} in list %}{{ forloop.${b} }}{{ ${a}.${c} }}{% endfor %}{% for p in deep.${a} %}{{ p }}{% endfor %}`,
    `{% cycle ${a}: "x", ${b} %}{{ list[${a}] }}{{ list["length"] }}{{ list.size.${b} }}`,
    `{% capture s %}<b>{% endcapture %}{{ s.${a} }}{{ s.html.${b} }}{{ s | map: "${a}" }}{{ s["${c}"] }}`,
    `{{ "${a}" | where_exp: "x", "x.${b}" }}{{ list | group_by_exp: "x", "x.${b}" }}{{ list | find_exp: "x", "${a}" }}`,
    `{% postroom_link 0 %}x{% endpostroom_link %}{% postroom_pixel %}`,
  ])
}

/** Asking for files by every tag that could read one. */
const files: Maker = (random, { path }) => {
  const where = pick(random, [
    path,
    `../../../../../../..${path}`,
    `file://${path}`,
    '/etc/passwd',
    './package.json',
    '.',
  ])
  return pick(random, [
    `{% include "${where}" %}`,
    `{% render "${where}" %}`,
    `{% layout "${where}" %}{% block x %}{% endblock %}`,
    `{% assign f = "${where}" %}{% include f %}`,
    `{% liquid\n include "${where}"\n%}`,
    `{% comment %}{% include "${where}" %}{% endcomment %}ok`,
    column(`<mj-include path="${where}" />`),
    mjml('<mj-section/>', `<mj-include path="${where}" type="css" css-inline="inline" />`),
    column(`<mj-raw><mj-include path="${where}" type="html"></mj-include></mj-raw>`),
    column(`{{ "<mj-include path='${where}' />" | raw }}`),
    column(`<mj-text><mj-include path="${where}"/><link rel="stylesheet" href="${where}"></mj-text>`),
    mjml(
      '<mj-section/>',
      `<mj-style inline="inline">@import url("${where}"); a { background: url(${where}) }</mj-style>`,
    ),
    `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "${where}">]><mjml><mj-body>&e;</mj-body></mjml>`,
  ])
}

/** Layouts that make the MJML compiler, its style sheets and its patterns work hard. */
const layouts: Maker = (random) => {
  const n = between(random, 1, 6_000)
  return pick(random, [
    () => mjml(nested('<mj-section><mj-column>', 'x', '</mj-column></mj-section>')(n % 2_000)),
    () => column(nested('<mj-text><div>', 'x', '</div></mj-text>')(n)),
    () => column(`<mj-text>${nested('<div><table><tr><td>', 'x', '</td></tr></table></div>')(n % 3_000)}</mj-text>`),
    () => column('<mj-spacer/>'.repeat(n)),
    () => mjml('<mj-section><mj-column/><mj-column/></mj-section>'.repeat(n % 1_500)),
    () => column(`<mj-text ${Array.from({ length: n }, (_, i) => `a${i}="b"`).join(' ')}>x</mj-text>`),
    () => column(`<mj-text css-class="${'x '.repeat(n * 10)}" mj-class="${'y '.repeat(n)}">x</mj-text>`),
    () =>
      mjml(
        `<mj-section mj-class="${'c0 '.repeat(n)}"/>`,
        `<mj-attributes>${Array.from({ length: n % 1_500 }, (_, i) => `<mj-class name="c${i}" padding="1px"/>`).join('')}</mj-attributes>`,
      ),
    () =>
      mjml(
        '<mj-section css-class="a"/>'.repeat(n % 500),
        `<mj-style inline="inline">${`${'.a '.repeat(20)}{color:red}`.repeat(n % 2_000)}</mj-style>`,
      ),
    () =>
      mjml(
        '<mj-section css-class="a"/>',
        `<mj-style inline="inline">${':not('.repeat(n)}a${')'.repeat(n)}{color:red}</mj-style>`,
      ),
    () =>
      mjml(
        '<mj-section css-class="a"/>'.repeat(100),
        `<mj-html-attributes>${`<mj-selector path="${'* '.repeat(n % 60)}"><mj-html-attribute name="x">y</mj-html-attribute></mj-selector>`.repeat(n % 200)}</mj-html-attributes>`,
      ),
    () => column(`<mj-raw>${'<!--[if mso | IE]>'.repeat(n)}${'<![endif]-->'.repeat(n)}</mj-raw>`),
    () => column(`<mj-raw>${'<!--[if mso]>'.repeat(n * 4)}</mj-raw>`),
    () => column(`<mj-raw>${'<style>'.repeat(n)}${' '.repeat(n * 10)}</mj-raw>`),
    () => column(`<mj-carousel>${'<mj-carousel-image src="x"/>'.repeat(n % 400)}</mj-carousel>`),
    () => column(`<mj-table>${'<tr>'.repeat(n)}${'<td colspan="9999999">'.repeat(n)}</mj-table>`),
    () =>
      column(
        `<mj-text padding="${'1px '.repeat(n)}" width="${'9'.repeat(n)}px" color="{{ ${'x'.repeat(n % 1_900)} }}">x</mj-text>`,
      ),
    () => column(`<mj-text font-family="${'('.repeat(n)}" padding="${' '.repeat(n)}x">x</mj-text>`),
    () =>
      `<mjml><mj-body width="${'9'.repeat(n)}px"><mj-section background-size="${'1px '.repeat(n)}" background-position="${'a '.repeat(n)}" background-url="x"/></mj-body></mjml>`,
    () => `<mjml>${'<mj-body>'.repeat(n)}`,
    () => `<mjml ${'"'.repeat(n)}<mj-body`,
    () => `${'<mjml>'.repeat(n % 300)}${'</mjml>'.repeat(n % 300)}`,
  ])()
}

/** HTML that makes a text part hard to come by. */
const pages: Maker = (random) => {
  const n = between(random, 1, 30_000)
  return pick(random, [
    () => nested('<div>', 'x', '</div>')(n),
    () => nested('<table><tr><td>', 'x', '</td></tr></table>')(n % 5_000),
    () => nested('<blockquote><ul><li>', 'x', '</li></ul></blockquote>')(n % 5_000),
    () => `<table>${'<tr><td>x</td></tr>'.repeat(n % 9_000)}</table>`,
    () => '<a href="https://x.example/">x'.repeat(n % 6_000),
    () => '<'.repeat(n * 6),
    () => '<a '.repeat(n),
    () => '<a href="'.repeat(n),
    () => '<a href='.repeat(n),
    () => '<!--'.repeat(n),
    () => '</body>'.repeat(n),
    () => '<style>'.repeat(n),
    () => '<script><title><textarea>'.repeat(n % 6_000),
    () => `<a href="{% if x %}">${'&amp;#x41;&#9999999;'.repeat(n % 9_000)}</a>`,
    () => `<p>${' \n\t'.repeat(n * 2)}</p>`,
    () => `<p>${'\u00a0\u200b\u2028'.repeat(n * 2)}</p>`,
    () => `<pre>${' '.repeat(n * 6)}</pre>`,
    () => `<h1>${'ß'.repeat(n * 6)}</h1>`,
    () => '\u0000<mjml\u0000>\ud800<mj-body/>',
  ])()
}

const PIECES = [
  '{{',
  '}}',
  '{%',
  '%}',
  '{%-',
  '-%}',
  '<',
  '>',
  '"',
  "'",
  '</',
  '/>',
  '<mj-raw>',
  '</mj-text>',
  '<!--',
  '-->',
  '\n',
  '{% if x %}',
  '{% endif %}',
  '{% raw %}',
  '{% endraw %}',
  ' | ',
  '(1..9)',
  '[',
  ']',
  '\u0000',
  '\ud800',
  'lq00000000x0z',
]

/** A sound template with pieces taken out, doubled and put in anywhere. */
const mutations: Maker = (random) => {
  let source = `{% assign a = first_name | default: "x" %}${column(
    '{% for item in list %}<mj-text color="{{ c }}" css-class="k">Hi {{ item | escape }}, <b>{% if a == "x" %}y{% else %}z{% endif %}</b></mj-text>{% endfor %}<mj-button href="https://x.example/{{ a | url_encode }}">go</mj-button>',
  )}`
  for (let n = between(random, 1, 8); n > 0; n -= 1) {
    const at = between(random, 0, source.length)
    const to = at + between(random, 0, 30)
    const piece = random() < 0.5 ? pick(random, PIECES) : source.slice(at, to).repeat(between(random, 1, 3))
    source = source.slice(0, at) + piece + source.slice(random() < 0.5 ? at : to)
  }
  return source
}

const KINDS: Readonly<Record<string, Maker>> = {
  loops,
  growth,
  searches,
  wholes,
  shapes,
  values,
  prototypes,
  files,
  layouts,
  pages,
  mutations,
}

/** Templates that want to hang, to grow or to look where they must not, ever new ones for ever new random numbers. */
export function hostileSource(random: Random, canaries: Canaries): HostileSource {
  const [kind, make] = pick(random, Object.entries(KINDS))
  const bad = make(random, canaries)
  const isBody = random() < 0.8 || kind === 'layouts' || kind === 'pages'
  if (isBody)
    return {
      kind,
      subject: 'Hello',
      body: random() < 0.3 && !bad.includes('<mj') ? column(`<mj-text>${bad}</mj-text>`) : bad,
      text: random() < 0.7 ? null : '',
    }
  return random() < 0.5
    ? { kind, subject: bad.slice(0, 1_000), body: '', text: '' }
    : { kind, subject: 'Hello', body: '', text: bad }
}
