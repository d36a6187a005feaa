import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { history, redo, undo, undoDepth } from '@codemirror/commands'
import { EditorState, type Transaction } from '@codemirror/state'
import fc from 'fast-check'
import { firstMail, NEW_BLOCKS } from '../../dashboard/features/templates/blocks/block-kinds.ts'
import { conditionOf, conditionText, rowsOf } from '../../dashboard/features/templates/blocks/block-rows.ts'
import { chosenBlock, editing } from '../../dashboard/features/templates/blocks/chosen-block.ts'
import {
  addCondition,
  duplicateBlock,
  type Edit,
  insertBlock,
  isWhole,
  isWholeContent,
  moveBlock,
  placeAt,
  placesFor,
  removeBlock,
  removeCondition,
  setAttribute,
  setContent,
  stepBlock,
  withEndlessAsWords,
} from '../../dashboard/features/templates/blocks/edit-mail.ts'
import {
  type Brand,
  brandColours,
  brandLook,
  coloursOf,
  fontName,
  fontsOf,
  hasFallback,
} from '../../dashboard/features/templates/blocks/mail-looks.ts'
import {
  type Block,
  blockAt,
  blocksOf,
  type Mail,
  readMail,
} from '../../dashboard/features/templates/blocks/read-mail.ts'
import { textOfBlock } from '../../dashboard/features/templates/blocks/saved-block.ts'
import { compileTemplate } from '../../server/modules/templates/compile-template.ts'
import { markElements } from '../../server/modules/templates/layout/mark-elements.ts'
import { BODY_CHARS_MAX, MJML_ELEMENTS_MAX } from '../../server/modules/templates/template-limits.ts'
import { seedFrom } from '../support/seeded-random.ts'

/*
 * The visual editor writes into the text that is there: whatever is done by it, bytes that it does not mean stay, and undo
 * goes back to each byte.
 */

const SAMPLES = path.join(import.meta.dirname, '..', '..', 'server', 'modules', 'templates', 'samples')
const samples = readdirSync(SAMPLES)
  .filter((name) => name.endsWith('.mjml'))
  .map((name) => readFileSync(path.join(SAMPLES, name), 'utf8'))
const AWKWARD = [
  samples[0]!.replaceAll('\n', '\r\n'),
  '<mjml><mj-body><mj-section><mj-column><mj-text>Hi</mj-text><mj-button href="{{ "a" | upcase }}">x</mj-button></mj-column></mj-section></mj-body></mjml>',
  `{% assign a = "<mj-text>" %}
<mjml>
  <mj-head><mj-attributes><mj-class name="wide" css-class="wide a" /><mj-text css-class='t' /></mj-attributes></mj-head>
  <mj-body>
    {% if plan == "gold" %}<mj-section css-class='{{ "it''s" }}' />{% else %}
    <mj-section
      padding='0'
    ><mj-column mj-class="wide"/>
    </mj-section>
    {% endif %}
    <!-- <mj-section> -->
    <mj-wrapper>{% for p in products %}<mj-section><mj-group><mj-column width="50%"></mj-column></mj-group></mj-section>{% endfor %}</mj-wrapper>
    <mj-section><mj-column>
      <mj-text>a > b <b title="</mj-text x">c</b> <!-- </mj-text> --> {{ "}}<mj-x>" }}</mj-text>
      <mj-raw><style> a > b { color: red } </style></mj-raw>
      <mj-image src="a.png"  alt = "" />
    </mj-column></mj-section>
  </mj-body>
</mjml>`,
]
const MAILS = [...samples, ...AWKWARD]

function blocksIn(source: string): Mail {
  const reading = readMail(source)
  assert.equal(reading.is, 'blocks')
  return (reading as { mail: Mail }).mail
}

test('the server marks nothing where a mail has more elements, or would become longer, than is compiled', () => {
  const mail = (within: string) => `<mjml><mj-body><mj-section>${within}</mj-section></mj-body></mjml>`
  const dividers = (count: number) => mail('<mj-divider />'.repeat(count))
  const around = 3
  assert.match(markElements(dividers(MJML_ELEMENTS_MAX - around)), /<mj-divider css-class="mark-\d+" \/>/)
  const tooMany = dividers(MJML_ELEMENTS_MAX - around + 1)
  assert.equal(markElements(tooMany), tooMany)
  const filled = (length: number) =>
    mail(`<mj-text>${'x'.repeat(length - mail('<mj-text></mj-text>').length)}</mj-text>`)
  const grown = markElements(filled(BODY_CHARS_MAX - 1_000))
  assert.ok(grown.includes('css-class="mark-') && grown.length <= BODY_CHARS_MAX)
  const full = filled(BODY_CHARS_MAX)
  assert.equal(markElements(full), full)
})

test('the server marks each block where the editor finds it, and nothing else of the mail changes', async () => {
  for (const source of MAILS) {
    const marked = markElements(source)
    const found = [...marked.matchAll(/\bmark-(\d+)(?=["'])/g)].map(([, begin]) => Number(begin))
    const blocks = blocksOf(blocksIn(source)).filter(({ name }) => name !== 'mj-raw' && name !== 'mj-carousel-image')
    assert.deepEqual(
      found,
      blocks.map(({ begin }) => begin),
    )
    const [plain, withMarks] = await Promise.all(
      [source, marked].map((body) => compileTemplate({ subject: '', body, text: '' })),
    )
    assert.deepEqual([plain?.outcome, withMarks?.outcome], ['compiled', 'compiled'])
  }
  const repeated = markElements(AWKWARD[2]!)
  assert.match(repeated, /<mj-column css-class="wide a mark-\d+" mj-class="wide"\/>/)
  assert.match(repeated, /<mj-text css-class="t mark-\d+">/)
})

test('an HTML mail, one whose elements do not close, and none at all have no blocks', () => {
  const what = (source: string) => readMail(source).is
  assert.deepEqual(
    ['', ' \n', '<p>Hi</p>', 'Hi', '<mjml><mj-body><mj-section></mj-body></mjml>', '<mj-text>x</mj-text>'].map(what),
    ['empty', 'empty', 'html', 'html', 'broken', 'broken'],
  )
})

const ATTRIBUTES = ['padding', 'href', 'css-class', 'align', 'color']
const VALUES = ['0', 'it"s', "it's", '{{ "a" | upcase }}', 'a&b', '', null]
const CONTENTS = ['', 'Hi', '<b>x</b>{{ a }}', '</mj-text>', '{{ ', '<!--', '<b title="', '\n  two\n']

const SIDES = ['before', 'after', 'into'] as const

/** An act as the pages offer it, chosen by three numbers; undefined where there is nothing to act on. */
function actOf(mail: Mail, [kind, which, how]: readonly [number, number, number]): Edit | undefined {
  const blocks = blocksOf(mail)
  const block = blocks[which % Math.max(1, blocks.length)]
  const pick = <T>(list: readonly T[]) => list[how % list.length]!
  if (block === undefined || kind === 0) {
    const { name, text } = pick(NEW_BLOCKS)
    const places = placesFor(mail, name)
    const place = places[which % Math.max(1, places.length)]
    return (
      place &&
      insertBlock(
        mail,
        place.place,
        text(() => ''),
      )
    )
  }
  if (kind === 1)
    return moveBlock(
      mail,
      block,
      pick(placesFor(mail, block.name, block).concat({ place: { after: block }, offset: 0 })).place,
    )
  if (kind === 2) return stepBlock(mail, block, how % 2 === 0 ? 'up' : 'down')
  if (kind === 3) return duplicateBlock(mail, block)
  if (kind === 4) return removeBlock(mail, block)
  if (kind === 5) return setAttribute(block, pick(ATTRIBUTES), VALUES[which % VALUES.length]!)
  if (kind === 6) return addCondition(mail, block, 'plan == "gold"')
  if (kind === 7) {
    const tag = rowsOf(mail).find(({ node }) => node.kind === 'liquid' && node.partner)?.node
    return tag?.kind === 'liquid' ? removeCondition(mail, tag) : undefined
  }
  if (kind === 10) {
    const places = placesFor(mail, block.name)
    const place = places[how % Math.max(1, places.length)]
    return place && insertBlock(mail, place.place, textOfBlock(mail, block))
  }
  if (kind === 9) {
    const target = blocks[how % blocks.length]!
    const place = placeAt(mail, block, target, SIDES[(which + how) % SIDES.length]!)
    return place && moveBlock(mail, block, place)
  }
  const content = pick(CONTENTS)
  const holdsWords = block.name === 'mj-text' || block.name === 'mj-button'
  return holdsWords && isWholeContent(block.name, content) ? setContent(mail, block, content) : undefined
}

const acts = fc.array(fc.tuple(fc.nat(10), fc.nat(200), fc.nat(200)), { minLength: 1, maxLength: 12 })

test('whatever is done to blocks leaves a mail of blocks, and undo goes back to each byte', () => {
  fc.assert(
    fc.property(fc.nat(MAILS.length - 1), acts, (which, sequence) => {
      let state = EditorState.create({
        doc: MAILS[which]!,
        extensions: [EditorState.lineSeparator.of('\n'), history({ newGroupDelay: 0 }), chosenBlock],
      })
      const take = (transaction: Transaction) => {
        state = transaction.state
      }
      for (const act of sequence) {
        const mail = blocksIn(state.doc.toString())
        const edit = actOf(mail, act)
        if (edit === undefined || edit.changes.length === 0) continue
        take(editing(state, edit))
        const after = blocksIn(state.doc.toString())
        if (edit.chosen !== null) {
          const chosen = state.field(chosenBlock)
          assert.equal(chosen, edit.chosen)
          const row = rowsOf(after).find(({ node }) => node.begin === chosen)
          assert.ok(row, `nothing begins at ${chosen} after ${act}`)
        }
        holdsOthers(mail, after, act[0])
      }
      const done = state.doc.toString()
      while (undoDepth(state) > 0) undo({ state, dispatch: take })
      assert.equal(state.doc.toString(), MAILS[which])
      while (redo({ state, dispatch: take }));
      assert.equal(state.doc.toString(), done)
    }),
    { numRuns: 400, seed: seedFrom('BLOCKS_SEED') },
  )
})

/** Moving takes no block and makes none; what they say is the same. */
function holdsOthers(before: Mail, after: Mail, kind: number): void {
  const said = (mail: Mail) =>
    blocksOf(mail)
      .filter(({ children }) => children.length === 0)
      .map((block) => mail.source.slice(block.begin, block.end))
      .sort()
  const count = (mail: Mail) => blocksOf(mail).length
  if (count(before) > 0 && [1, 2, 9].includes(kind)) {
    assert.equal(count(after), count(before))
    const [was, is] = [said(before), said(after)]
    // What held the block may be empty now, or have been.
    assert.ok(Math.abs(was.length - is.length) <= 1)
  }
  if (count(before) > 0 && kind === 4) assert.ok(count(after) < count(before))
}

test('a moved block takes its lines along, and is itself to the byte', () => {
  const mail = blocksIn(samples.at(-1)!)
  const block = blocksOf(mail).find(({ name }) => name === 'mj-button') as Block
  const up = stepBlock(mail, block, 'up')!
  const state = EditorState.create({ doc: mail.source, extensions: [chosenBlock] })
  const moved = blocksIn(editing(state, up).state.doc.toString())
  const there = blockAt(moved, up.chosen)!
  assert.equal(moved.source.slice(there.begin, there.end), mail.source.slice(block.begin, block.end))
  assert.equal(moved.source.split('\n').length, mail.source.split('\n').length)
})

test('a saved block stands anywhere as it stood where it was saved', () => {
  const mail = blocksIn(samples.at(-1)!.replaceAll('\n', '\r\n'))
  const block = blocksOf(mail).find(
    ({ name, begin, end }) => name === 'mj-section' && mail.source.slice(begin, end).includes('\n'),
  ) as Block
  const text = textOfBlock(mail, block)
  assert.match(text, /^<mj-section[^>]*>\n {2}<mj-column/)
  assert.match(text, /\n<\/mj-section>$/)
  const edit = insertBlock(mail, { after: block }, text)
  const again = blocksIn(
    EditorState.create({ doc: mail.source, extensions: [EditorState.lineSeparator.of('\n')] })
      .update({ changes: edit.changes })
      .state.doc.toString(),
  )
  const copy = blockAt(again, edit.chosen)!
  assert.equal(again.source.slice(copy.begin, copy.end), mail.source.slice(block.begin, block.end))
})

test('colours and fonts of a mail are offered, each font with what stands in for it', () => {
  const source = `<mj-text color="#ABC" background-color='#112233'><b style="color:#aabbcc; x">#ffffff</b></mj-text><mj-all font-family="Inter" />`
  assert.deepEqual(coloursOf(source), ['#aabbcc', '#112233'])
  const [own, ...safe] = fontsOf(source)
  assert.deepEqual([own, hasFallback(own!), safe.every(hasFallback)], ['Inter', false, true])
  assert.deepEqual(
    fontsOf(samples[0]!)
      .map(fontName)
      .filter((name) => name === ''),
    [],
  )
})

test('the colours and the font of the workspace come first, and the first block of its kind has them', () => {
  const palette = [
    { name: 'Sun', color: '#f4b942' },
    { name: 'Moss', color: '#2f6f4f' },
  ]
  const brand: Brand = { color: '#2f6f4f', palette, fontFamily: 'Georgia, serif' }
  assert.deepEqual(
    brandColours(brand).map(({ name }) => name),
    ['Moss', 'Sun'],
  )
  assert.deepEqual(brandColours({ ...brand, color: '#112233' })[0], { name: 'Colour of buttons', color: '#112233' })
  assert.equal(fontsOf('<mj-all font-family="Inter" />', brand)[0], 'Georgia, serif')
  const font = ' font-family="Georgia, serif"'
  assert.equal(brandLook('mj-button', brand, ''), ` background-color="#2f6f4f" color="#ffffff"${font}`)
  assert.equal(
    brandLook('mj-button', { ...brand, color: null, fontFamily: null }, ''),
    ' background-color="#f4b942" color="#000000"',
  )
  assert.equal(brandLook('mj-text', brand, '<mj-all font-family="Inter" />'), '')
  assert.equal(brandLook('mj-image', brand, ''), '')
  assert.equal(readMail(firstMail(brand.fontFamily)).is, 'blocks')
})

test('a text that would take in what follows it is not whole', () => {
  assert.deepEqual(['{{ a }}', 'a', '{{ a', '{% if', 'a }} b', '{{ "}}" }}'].map(isWhole), [
    true,
    true,
    false,
    false,
    true,
    true,
  ])
  const fits = CONTENTS.map((content) => isWholeContent('mj-text', content))
  assert.deepEqual(fits, [true, true, true, false, false, false, false, true])
})

test('Liquid that does not end is kept as words, and what ends stays Liquid', () => {
  for (const [typed, kept] of [
    ['{{ a }} {{ b', '{{ a }} &#x7b;{ b'],
    ['{{ b {% if x %}', '&#x7b;{ b {% if x %}'],
    ['{{{%', '&#x7b;&#x7b;&#x7b;%'],
    ['a } b', 'a } b'],
  ] as const) {
    assert.equal(withEndlessAsWords(typed), kept)
    assert.ok(isWholeContent('mj-text', withEndlessAsWords(typed)))
  }
})

test('a comparison is read and written as it was, and what is more than one stays code', () => {
  for (const [source, text] of [
    ['{% if plan == "gold" %}', 'plan == "gold"'],
    ['{%- unless a.b >= 3 -%}', 'a.b >= 3'],
    ["{% if plan contains 'go' %}", 'plan contains "go"'],
  ] as const) {
    assert.equal(conditionText(conditionOf(source)!), text)
  }
  for (const source of ['{% if a and b %}', '{% if a == b %}', '{% for a in b %}', '{% else %}']) {
    assert.equal(conditionOf(source), undefined)
  }
})
