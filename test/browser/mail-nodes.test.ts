import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import type { Browser, Page } from 'playwright-core'
import { seedFrom } from '../support/seeded-random.ts'
import { launchChromium, WITHOUT_BROWSER } from './chromium.ts'

/* A mail that is shown becomes the next one in place: in the end it is the same to the last attribute, and what did not change is not touched. */

const skip = WITHOUT_BROWSER
const SOURCE = new URL('../../dashboard/ui/mail-nodes.ts', import.meta.url)
const PAIRS = 200
const seed = seedFrom('MAIL_SEED')

type Tree = string | { tag: string; id: string | null; mark: string | null; children: readonly Tree[] }

const { tree } = fc.letrec<{ tree: Tree; element: Tree }>((tie) => ({
  tree: fc.oneof({ maxDepth: 4 }, fc.constantFrom('', 'one', 'two'), tie('element')),
  element: fc.record({
    tag: fc.constantFrom('p', 'div', 'b', 'img', 'table'),
    id: fc.constantFrom(null, 'a', 'b'),
    mark: fc.constantFrom(null, '1', '2'),
    children: fc.array(tie('tree'), { maxLength: 4 }),
  }),
}))
const body = fc.array(tree, { maxLength: 6 }).map((children): Tree => ({ tag: 'body', id: null, mark: null, children }))

/** Makes nodes of trees, and has one become the other. */
const HELP = `
globalThis.made = (tree) => {
  if (typeof tree === 'string') return tree === '' ? document.createComment('note') : document.createTextNode(tree)
  const element = document.createElement(tree.tag)
  if (tree.id !== null) element.id = tree.id
  if (tree.mark !== null) element.setAttribute('data-mark', tree.mark)
  element.append(...tree.children.map(made))
  return element
}
globalThis.changesOf = (old, next) => {
  const seen = new MutationObserver(() => undefined)
  seen.observe(old, { attributes: true, characterData: true, childList: true, subtree: true })
  become(old, next)
  return seen.takeRecords()
}
globalThis.parsed = (html) => new DOMParser().parseFromString(html, 'text/html').body`

let browser: Browser
let page: Page
before(async () => {
  if (skip) return
  browser = await launchChromium()
  page = await browser.newPage()
  const source = stripTypeScriptTypes(await readFile(SOURCE, 'utf8'))
  await page.addScriptTag({
    content: `${source.replaceAll('export function', 'function')};globalThis.become = become;${HELP}`,
  })
})
after(() => browser?.close())

test(`whatever two mails are, the one that is shown becomes the other (MAIL_SEED=${seed})`, { skip }, async () => {
  const pairs = fc.sample(fc.tuple(body, body), { seed, numRuns: PAIRS })
  const unlike = await page.evaluate<Tree[][]>(`${JSON.stringify(pairs)}.filter(([old, next]) => {
    const shown = made(old)
    become(shown, made(next))
    return !shown.isEqualNode(made(next))
  })`)
  assert.deepEqual(unlike, [])
})

test(`a mail that is the same is not touched (MAIL_SEED=${seed})`, { skip }, async () => {
  const all = fc.sample(body, { seed, numRuns: PAIRS })
  const touched = await page.evaluate<Tree[]>(
    `${JSON.stringify(all)}.filter((tree) => changesOf(made(tree), made(tree)).length > 0)`,
  )
  assert.deepEqual(touched, [])
})

test('one part more, one less or another attribute leaves all other parts where they are, pictures too', {
  skip,
}, async () => {
  const part = (n: number) => `<div><p>Part ${n}</p><img alt="${n}"></div>`
  const mail = (parts: readonly number[]) => parts.map(part).join('')
  const all = [0, 1, 2, 3, 4]
  const changes = [
    ...[0, 2, 5].map((at) => mail(all.toSpliced(at, 0, 9))),
    ...[0, 2, 4].map((at) => mail(all.toSpliced(at, 1))),
    mail(all).replace('alt="2"', 'alt="another"'),
  ]
  const kept = await page.evaluate<string[][]>(`${JSON.stringify(changes)}.map((html) => {
    const [shown, next] = [parsed(${JSON.stringify(mail(all))}), parsed(html)]
    const pictures = [...shown.querySelectorAll('img')]
    const records = changesOf(shown, next)
    const touched = new Set(records.map(({ target }) => target.nodeName))
    return [shown.innerHTML === html, pictures.filter((one) => shown.contains(one)).length, ...touched].map(String)
  })`)
  assert.deepEqual(
    kept.slice(0, 3),
    Array.from({ length: 3 }, () => ['true', '5', 'BODY']),
    'one more',
  )
  for (const [isSo, pictures] of kept.slice(3, 6)) assert.deepEqual([isSo, pictures], ['true', '4'], 'one less')
  assert.deepEqual(kept[6], ['true', '5', 'IMG'])
})

test('names of attributes that only a parser takes are taken over and taken away', { skip }, async () => {
  const [odd, plain] = ['<p @click="a" b"c="1" d\'="2">Odd</p>', '<p class="x">Odd</p>']
  const shown = await page.evaluate<
    boolean[]
  >(`[[${JSON.stringify(odd)}, ${JSON.stringify(plain)}], [${JSON.stringify(plain)}, ${JSON.stringify(odd)}]]
    .map(([old, next]) => {
      const shownNow = parsed(old)
      become(shownNow, parsed(next))
      return shownNow.isEqualNode(parsed(next))
    })`)
  assert.deepEqual(shown, [true, true])
})
