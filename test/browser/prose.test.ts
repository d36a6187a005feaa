import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { getSchema } from '@tiptap/core'
import { joinBackward, toggleMark } from '@tiptap/pm/commands'
import { type Command, EditorState, Selection, TextSelection, type Transaction } from '@tiptap/pm/state'
import fc from 'fast-check'
import { isWholeContent } from '../../dashboard/features/templates/blocks/edit-mail.ts'
import { blocksOf, contentOf, readMail } from '../../dashboard/features/templates/blocks/read-mail.ts'
import { clipboardWords } from '../../dashboard/features/templates/prose/paste.ts'
import {
  insertValue,
  lineBreak,
  newLine,
  removeLink,
  setLink,
  takeOver,
  toggleList,
} from '../../dashboard/features/templates/prose/prose-commands.ts'
import type { ProseNode } from '../../dashboard/features/templates/prose/prose-node.ts'
import { LINE, PROSE } from '../../dashboard/features/templates/prose/prose-schema.ts'
import { readProse } from '../../dashboard/features/templates/prose/read-prose.ts'
import {
  simpleValue,
  valueText,
  valueWords,
  withStraightQuotes,
} from '../../dashboard/features/templates/prose/value-text.ts'
import { writeProse } from '../../dashboard/features/templates/prose/write-prose.ts'
import { seedFrom } from '../support/seeded-random.ts'

/* Words of a block as prose: what is not changed keeps its bytes, and what is changed can be read again. */

const SAMPLES = path.join(import.meta.dirname, '..', '..', 'server', 'modules', 'templates', 'samples')
const ofSamples = readdirSync(SAMPLES)
  .filter((name) => name.endsWith('.mjml'))
  .flatMap((name) => {
    const reading = readMail(readFileSync(path.join(SAMPLES, name), 'utf8'))
    assert.equal(reading.is, 'blocks')
    const { mail } = reading as Extract<typeof reading, { is: 'blocks' }>
    return blocksOf(mail)
      .filter((block) => block.name === 'mj-text')
      .map((block) => contentOf(mail, block))
  })

/** What people write by hand: each is prose. */
const BY_HAND = [
  '',
  ' \n ',
  'Hi {{ first_name | default: "there" }},<br>\n  <br/>bye',
  '<p>a</p>\n<p style="margin:0">b <b>c</b></p>\n',
  '<b>x</b><b>y</b><strong>z</strong>',
  '<i><b>x</b> y</i> <b><i>x</i></b>',
  '<span style="color:red">a <span class=\'b\'><b>b</b></span></span>',
  '<ul>\n  <li>a</li>\n  {% for x in y %}<li>{{ x }}</li>{% endfor %}\n</ul>',
  '<ol><li><p>a</p><ul><li>b</li></ul></li>\n<li></li></ol> tail',
  'a &gt; b > c &amp; d & e AT&T &eacute;&nbsp;&#160;\u00a0&gt;&gt; 😀',
  '<table><tr><td>x</td></tr></table>after <img src="a.png" alt="">',
  '<h1 class="x"> T </h1>\n tail  two',
  '<a href="{{ "a" | upcase }}">x</a> <a href=\'b?c&amp;d\'>y</a><b></b>',
  '{% if a %}<p>x</p>{% else %}y{% endif %}<!-- c -->',
  '<div>a<div>b</div></div>\r\n c<b> d </b> ',
]
/** What prose would write otherwise than it is: it stays text. */
const NO_PROSE = ['<b>x<p>y</p></b>', '<li>x</li>', '<em><em>x</em></em>', 'a < b', '<p>x', 'x &unknown; y</p>', '</b>']

const [schema, lineSchema] = [getSchema(PROSE), getSchema(LINE)]

test('words of every sample and of those who write by hand are prose, and keep each byte', () => {
  for (const content of [...ofSamples, ...BY_HAND]) {
    const prose = readProse(content)
    assert.ok(prose, content)
    const doc = schema.nodeFromJSON(prose.doc)
    doc.check()
    assert.equal(prose.lead + writeProse(doc.toJSON() as ProseNode) + prose.tail, content)
  }
})

test('what would not come back as it was is no prose, and lists are none in one line', () => {
  for (const content of NO_PROSE) assert.equal(readProse(content), undefined, content)
  assert.equal(readProse('<ul><li>a</li></ul>', true), undefined)
  lineSchema.nodeFromJSON(readProse('Read <b>more</b>', true)!.doc).check()
})

type Act = readonly [number, number, number, number]
/** A change as a command. */
const changing =
  (change: (tr: Transaction) => Transaction): Command =>
  ({ tr }, dispatch) => {
    dispatch?.(change(tr))
    return true
  }
const bold = (state: EditorState, dispatch: Parameters<Command>[1]) =>
  toggleMark(state.schema.marks.bold!)(state, dispatch)

/** What a person does next, by four numbers: between two places of the text. */
function actOn(state: EditorState, [kind, from, to, how]: Act): EditorState {
  const { size } = state.doc.content
  const [a, b] = [from % (size + 1), to % (size + 1)].sort((x, y) => x - y) as [number, number]
  const near = (pos: number) => Selection.near(state.doc.resolve(pos))
  const begin = near(a).from
  const end = Math.max(begin, near(b).from)
  const chosen = TextSelection.between(state.doc.resolve(begin), state.doc.resolve(end))
  let now = state.apply(state.tr.setSelection(chosen))
  const run = (command: Command) => {
    command(now, (change) => {
      now = now.apply(change)
    })
  }
  const words = ['x', ' and ', '& more < less', '>', '\u00a0'][how % 5]!
  const acts: (() => void)[] = [
    () => run(changing((tr) => tr.insertText(words))),
    () => run(changing((tr) => tr.deleteSelection())),
    () => run(newLine),
    () => run(lineBreak),
    () => run(bold),
    () => run(toggleList(how % 2 === 0 ? 'bullets' : 'numbers')),
    () => run(setLink('https://example.com/?a=1&b="2"')),
    () => run(removeLink),
    () => run(insertValue('{{ last_name }}')),
    () => run(joinBackward),
    () => run(changing((tr) => tr.replaceSelection(clipboardWords(schema, 'a\nb {{ c }}')))),
  ]
  acts[kind % acts.length]!()
  return now
}

test('whatever is written as prose stands whole in its block, and is prose again', () => {
  const acts = fc.array(fc.tuple(fc.nat(10), fc.nat(400), fc.nat(400), fc.nat(9)), { minLength: 1, maxLength: 10 })
  const texts = [...BY_HAND, ...ofSamples.slice(0, 20)]
  fc.assert(
    fc.property(fc.nat(texts.length - 1), acts, (which, sequence) => {
      const prose = readProse(texts[which]!)!
      let state = EditorState.create({ doc: schema.nodeFromJSON(prose.doc) })
      for (const act of sequence) state = actOn(state, act)
      state.doc.check()
      const content = prose.lead + writeProse(state.doc.toJSON() as ProseNode) + prose.tail
      assert.ok(isWholeContent('mj-text', content), content)
      const again = readProse(content)
      assert.ok(again, content)
      const before = state.apply(takeOver(state, schema.nodeFromJSON(prose.doc)))
      assert.ok(before.doc.eq(schema.nodeFromJSON(prose.doc)))
    }),
    { numRuns: 300, seed: seedFrom('PROSE_SEED') },
  )
})

/** The text once this was done to the characters of it that begin and end there. */
function edited(content: string, [from, to]: readonly [number, number], command: Command): string {
  const prose = readProse(content)!
  let state = EditorState.create({ doc: schema.nodeFromJSON(prose.doc) })
  state = state.apply(state.tr.setSelection(TextSelection.create(state.doc, from + 1, to + 1)))
  command(state, (change) => {
    state = state.apply(change)
  })
  return writeProse(state.doc.toJSON() as ProseNode)
}

test('a link is set on what is chosen and on links that reaches into, not on those beside it', () => {
  const old = '<a href="https://old.example" class="x">one</a> two'
  const link = setLink('https://new.example')
  const [beside, whole] = [
    '<a href="https://old.example" class="x">one</a>',
    '<a href="https://new.example" class="x">one</a>',
  ]
  assert.equal(edited(old, [3, 7], link), `${beside}<a href="https://new.example"> two</a>`)
  assert.equal(edited(old, [1, 7], link), `${whole}<a href="https://new.example"> two</a>`)
  assert.equal(edited(old, [3, 3], link), `${whole} two`)
  assert.equal(edited(old, [3, 7], removeLink), old)
})

test('pasted words and values have the marks of where they are put', () => {
  const paste: Command = (state, dispatch) => {
    const words = clipboardWords(schema, 'c {{ d }}', state.selection.$from.marks())
    dispatch?.(state.tr.replaceSelection(words))
    return true
  }
  assert.equal(edited('<b>ab</b>', [1, 1], paste), '<b>ac {{ d }}b</b>')
  assert.equal(
    withStraightQuotes('“{{ a | default: “b” }}” {% if c == ‘d’ %}'),
    `“{{ a | default: "b" }}” {% if c == 'd' %}`,
  )
  assert.equal(withStraightQuotes('{{ a | default: "“b”" }}'), '{{ a | default: "“b”" }}')
})

test('a value is read and written with what is said in its stead', () => {
  assert.deepEqual(simpleValue('{{ first_name | default: "there" }}'), { name: 'first_name', otherwise: 'there' })
  assert.equal(valueText({ name: 'first_name', otherwise: 'you "there"' }), `{{ first_name | default: 'you "there"' }}`)
  assert.equal(valueText({ name: 'a', otherwise: '' }), '{{ a }}')
  assert.equal(valueText({ name: 'a', otherwise: '}}' }), undefined)
  assert.equal(simpleValue('{{ a | upcase }}'), undefined)
  assert.deepEqual(['{{ a.b }}', '{%- if plan == "gold" -%}'].map(valueWords), ['a.b', 'if plan == "gold"'])
})
