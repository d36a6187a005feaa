import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { leastMs, processorMs } from '../../../test/support/processor-time.ts'
import { seedFrom } from '../../../test/support/seeded-random.ts'
import { type HtmlToken, scanHtml } from './scan-html.ts'

const MB = 1_000_000
/** Of processor time, for a megabyte; what looks at everything again for each character takes minutes. */
const CPU_MS_MAX = 3_000

const pieces = (source: string) =>
  scanHtml(source).map(({ kind, begin, end }: HtmlToken) => `${kind} ${source.slice(begin, end)}`)

test('tags, comments and texts come in order, with the places of names and values', () => {
  const source = `<!doctype html><P class=big  ID = 'x>y' data-a>a < b</P ><br/><!-- <a> -->`
  assert.deepEqual(pieces(source), [
    'comment <!doctype html>',
    `open <P class=big  ID = 'x>y' data-a>`,
    'text a < b',
    'close </P >',
    'open <br/>',
    'comment <!-- <a> -->',
  ])
  const [, open, , close, br] = scanHtml(source)
  assert.ok(open?.kind === 'open' && close?.kind === 'close' && br?.kind === 'open')
  assert.deepEqual([open.name, close.name, open.selfClosing, br.selfClosing], ['p', 'p', false, true])
  assert.deepEqual(
    open.attributes.map(({ name, valueBegin, valueEnd, quoted }) => [name, source.slice(valueBegin, valueEnd), quoted]),
    [
      ['class', 'big', false],
      ['id', 'x>y', true],
      ['data-a', '', false],
    ],
  )
  assert.equal(source.slice(open.attributes[1]!.begin, open.attributes[1]!.valueBegin), "ID = '")
})

test('what stands in a style sheet, a script or a text field is text, up to its own closing tag', () => {
  for (const name of ['style', 'SCRIPT', 'textarea', 'title']) {
    const inside = `<a href="x"> "</b> <!-- </${name}x>`
    assert.deepEqual(pieces(`<${name}>${inside}</${name} ><i>`), [
      `open <${name}>`,
      `text ${inside}`,
      `close </${name} >`,
      'open <i>',
    ])
  }
  assert.deepEqual(pieces('<style/><a>'), ['open <style/>', 'open <a>'])
  assert.deepEqual(pieces('<title>a<b>'), ['open <title>', 'text a<b>'])
})

test('what is not closed goes on to the end, and a tag that does not end is none', () => {
  for (const rest of ['<a', '<a href', '<a href=', '<a href="x>y</a>', "<a href='", '<a /', '</', '<']) {
    assert.deepEqual(pieces(`<p>x${rest}`), ['open <p>', `text x${rest}`], rest)
  }
  assert.deepEqual(pieces('x<!-- y <a>'), ['text x', 'comment <!-- y <a>'])
  assert.deepEqual(pieces('x</p '), ['text x', 'close </p '])
})

/** Sources in which a scanner loses its place, or which it looks through again and again. */
const HOSTILE = [
  '<',
  '<<',
  '>',
  '<a',
  '<a ',
  '<a>',
  '</a>',
  '</a',
  '</',
  '<a href="',
  '<a b=\'c"',
  '<a b=c/',
  '<a/',
  '<!',
  '<!-',
  '<!--',
  '<!-->',
  '--',
  '-->',
  '<![CDATA[',
  ']]',
  ']]>',
  '<?',
  '<style>',
  '</style',
  '</sty',
  '<title>',
  '<textarea>',
  '<xmp>',
  '<script>',
  '&',
  '&amp',
  '=',
  '"',
  "'",
  '/',
  ' ',
  '\n',
  '\0',
  '\u00a0',
  '\ud800',
  'x',
  'mj-text',
]

test('whatever the source, the tokens are the whole of it, and attributes lie within their tags', () => {
  const source = fc.array(fc.constantFrom(...HOSTILE), { maxLength: 40 }).map((parts) => parts.join(''))
  fc.assert(
    fc.property(source, (html) => {
      let at = 0
      for (const token of scanHtml(html)) {
        assert.equal(token.begin, at)
        assert.ok(token.end > token.begin)
        at = token.end
        for (const { begin, valueBegin, valueEnd } of token.kind === 'open' ? token.attributes : []) {
          assert.ok(token.begin < begin && begin <= valueBegin && valueBegin <= valueEnd && valueEnd <= token.end)
        }
      }
      assert.equal(at, html.length)
    }),
    { numRuns: 5_000, seed: seedFrom('SCAN_SEED') },
  )
})

test('a megabyte of the worst takes the time of a megabyte', async () => {
  const sources = HOSTILE.flatMap((piece) => [
    piece.repeat(Math.ceil(MB / piece.length)),
    `<style>${piece.repeat(Math.ceil(MB / piece.length))}`,
    `<a href="${piece.repeat(Math.ceil(MB / piece.length))}`,
  ])
  for (const source of sources) {
    const tookMs = await leastMs(CPU_MS_MAX, () => processorMs(() => scanHtml(source)))
    assert.ok(tookMs <= CPU_MS_MAX, `${tookMs} ms for ${source.slice(0, 20)}`)
  }
})
