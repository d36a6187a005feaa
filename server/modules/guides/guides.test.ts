import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { quietServer } from '../../../test/support/quiet-server.ts'
import { guidePages } from './guide-pages.ts'
import { createGuides } from './read-guides.ts'
import { renderGuide } from './render-guide.ts'

const guides = createGuides()
const app = quietServer({ trustProxy: false, https: false })
guidePages(app, guides)
await app.ready()
after(() => app.close())

test('every link of a guide leads to a heading, a guide or an example that is there', async () => {
  const all = await guides.all()
  const idsOf = new Map(all.map(({ name, ids }) => [`/docs/guides/${name}`, ids]))
  const broken: string[] = []
  for (const { name, links } of all) {
    for (const link of links.filter((one) => !one.startsWith('http'))) {
      const { pathname, hash } = new URL(link, `http://x/docs/guides/${name}`)
      const ids = idsOf.get(pathname)
      const isThere = /^\/docs\/(?:examples|guides\/pictures)\//.test(pathname)
        ? (await app.inject(pathname)).statusCode === 200
        : ids !== undefined && (hash === '' || ids.has(decodeURIComponent(hash.slice(1))))
      if (!isThere) broken.push(`${name}: ${link}`)
    }
  }
  assert.deepEqual(broken, [])
})

test('guides are served under a strict policy, listed, and kept for a while', async () => {
  const all = await guides.all()
  const index = await app.inject('/docs/guides/')
  for (const { name } of all) assert.ok(index.body.includes(`href="/docs/guides/${name}"`), name)
  assert.equal((await app.inject('/docs/guides')).headers.location, '/docs/guides/')
  for (const { name, title } of all) {
    const page = await app.inject(`/docs/guides/${name}`)
    assert.equal(page.statusCode, 200, name)
    assert.doesNotMatch(String(page.headers['content-security-policy']), /unsafe|script-src/)
    assert.match(String(page.headers['cache-control']), /max-age=3600/)
    assert.ok(page.body.length < 200_000, `${name} has ${page.body.length} characters`)
    assert.match(page.body, /<h1 id=/, title)
  }
  for (const path of [
    '/docs/guides/nothing',
    '/docs/guides/..%2f..%2fpackage',
    '/docs/examples/..%2f..%2fpackage.json',
    '/docs/guides/pictures/..%2ftopics.md',
  ])
    assert.equal((await app.inject(path)).statusCode, 404, path)
  const lost = await app.inject({ url: '/docs/guides/nothing', headers: { accept: 'text/html' } })
  assert.deepEqual([lost.statusCode, /Nothing is here/.test(lost.body)], [404, true], 'told in words, with a way on')
})

test('what is HTML in a guide is text on its page, and files that are not served are named', () => {
  const { content, ids } = renderGuide(
    'docs/guides/x.md',
    '# A & `b`\n\nt <script>alert(1)</script> [c](../../server/main.ts) [d](topics.md#e) ![p](https://x.example/p.png)\n\n## A b\n',
  )
  assert.doesNotMatch(content.markup, /<script|<img/)
  assert.match(content.markup, /c \(<code>server\/main\.ts<\/code>\) <a href="\/docs\/guides\/topics#e">d<\/a> p/)
  assert.deepEqual([...ids], ['a--b', 'a-b'])
})
