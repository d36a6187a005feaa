import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findPlaces } from './find-links.ts'

const hrefs = (html: string) => findPlaces(html).links.map(({ href }) => href)

test('a link is what a mail program makes a link of, and nothing that only looks like one', () => {
  assert.deepEqual(
    hrefs(`<A title="a > b" HREF='https://a.example/?q="1"'>a</A><area href=https://b.example/ alt>
      <a href = "https://c.example/"/><abbr href="https://no.example/"><a name="x"><a href=""><a href=" "><a href="#x">`),
    ['https://a.example/?q="1"', 'https://b.example/', 'https://c.example/'],
  )
  for (const hidden of ['<!-- X -->', '<style>X</style>', '<script>"X"</script>', '<p title="X">', '<textarea>X']) {
    assert.deepEqual(hrefs(hidden.replace('X', `<a href='https://no.example/'>`)), [], hidden)
  }
  assert.deepEqual(hrefs('<a href="https://no.example/'), [])
  assert.deepEqual(hrefs('<a href="https://a.example/" href="https://no.example/">'), ['https://a.example/'])
})

test('the ends of the body are those of the element, not of a word in a comment or a style sheet', () => {
  const html = '<head><style></body></style></head><BODY class=x><!-- </body> -->x</body ></html>'
  const { bodyBegin, bodyEnd } = findPlaces(html)
  assert.equal(html.slice(bodyBegin, bodyEnd), '<!-- </body> -->x')
  assert.deepEqual(findPlaces('<p>x'), { links: [], bodyBegin: 0, bodyEnd: 4 })
})
