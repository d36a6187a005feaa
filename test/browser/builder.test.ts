import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { firstMail } from '../../dashboard/features/templates/blocks/block-kinds.ts'
import { inboxWords } from '../../dashboard/features/templates/inbox-words.ts'
import { eventually } from '../support/eventually.ts'
import { WITHOUT_BROWSER } from './chromium.ts'
import { openWorld, settled, type World } from './world.ts'

/*
 * What the builder of mails tells of them: what an inbox shows, where a fault is, how it looks at a desk.
 */

const skip = WITHOUT_BROWSER

let world: World
before(async () => {
  if (skip) return
  world = await openWorld()
})
after(() => world?.close())

async function open(body: string, subject = 'News') {
  const { id } = (await world.site('POST', '/broadcasts', { name: 'News', subject, body })).json
  const opened = await world.open(`/app/default/broadcasts/${id}`)
  await settled(opened.page)
  await opened.page.getByRole('list', { name: 'Blocks of the mail' }).waitFor()
  return { ...opened, written: async () => (await world.site('GET', `/broadcasts/${id}`)).json.body as string }
}

const sampleBody = async (key: string) => {
  const { items } = (await world.site('GET', '/templates/samples')).json
  return items.find((sample: { key: string }) => sample.key === key).body as string
}
const preview = (page: Page) => page.getByRole('region', { name: 'Preview' })

const mailOf = (...texts: string[]) => `<mjml>
  <mj-body>
    <mj-section>
      <mj-column>
${texts.map((text) => `        <mj-text>${text}</mj-text>`).join('\n')}
        <mj-text><a href="{{ unsubscribe_url }}">Unsubscribe</a></mj-text>
      </mj-column>
    </mj-section>
  </mj-body>
</mjml>
`

test('an inbox shows the preview text of a mail, which is written and taken away like any words of it', {
  skip,
}, async () => {
  const body = mailOf('First words', 'Second words')
  const { page, written, close } = await open(body)
  await preview(page).getByText('First words Second words').waitFor()
  const field = page.getByLabel('Preview text')
  await field.pressSequentially('Salt & pepper, {{ first_name')
  await page.getByText('Not in the mail yet: something in it is still open.').waitFor()
  await field.pressSequentially(' }} ')
  await preview(page)
    .getByText(/^Salt & pepper, Alex First words/)
    .waitFor()
  await eventually('it is saved', async () => (await written()).includes('}} </mj-preview>'))
  assert.equal(
    await written(),
    body.replace(
      '  <mj-body>',
      '  <mj-head>\n    <mj-preview>Salt &amp; pepper, {{ first_name }} </mj-preview>\n  </mj-head>\n  <mj-body>',
    ),
  )
  await page.reload()
  await settled(page)
  await eventually('it is read', async () => (await field.inputValue()) === 'Salt & pepper, {{ first_name }} ')
  await field.fill('')
  await preview(page).getByText('First words Second words').waitFor()
  await close()
})

test('the preview text of a sample is no secret', { skip }, async () => {
  const body = await sampleBody('newsletter')
  const [, words = ''] = /<mj-preview>(.*?)<\/mj-preview>/s.exec(body) ?? []
  assert.notEqual(words, '')
  const { page, close } = await open(body)
  await preview(page).getByText(words).first().waitFor()
  assert.equal(await page.getByLabel('Preview text').inputValue(), words)
  await close()
})

test('a fault is said at its block, and leads there; a finding about a line does, too', { skip }, async () => {
  const body = mailOf(
    'Sound words',
    'Words with {{ a | shout }} and more of them than a list shows',
    '<a href="https://x">x</a>',
  )
  const { page, close } = await open(body)
  const faults = page.getByRole('list', { name: 'Faults of the mail' })
  const chosen = page.getByRole('list', { name: 'Blocks of the mail' }).locator('[aria-current="true"]')
  await faults.getByRole('button', { name: 'Text “Words with {{ a | shout }} and…”' }).click()
  await chosen.getByText('Words with').waitFor()
  await page.getByRole('button', { name: 'Code', exact: true }).click()
  await faults.getByText(/^Line 6: .*shout/).waitFor()
  await page.getByRole('button', { name: 'Blocks', exact: true }).click()
  const words = page.getByRole('textbox', { name: 'Text', exact: true })
  await words.focus()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type('Words')
  const checks = page.getByRole('region', { name: 'Before it goes out' })
  const broken = checks.getByRole('listitem').filter({ hasText: 'The link https://x' })
  await broken.getByRole('link', { name: 'Content' }).click()
  await chosen.getByText('x', { exact: true }).waitFor()
  await close()
})

test('a button that is put in is no link until it has one, and that is said before it goes out', { skip }, async () => {
  const { page, written, close } = await open(mailOf('Words'))
  await page.getByRole('button', { name: 'Add a block' }).click()
  await page.getByRole('menuitem', { name: 'Button', exact: true }).click()
  const checks = page.getByRole('region', { name: 'Before it goes out' })
  await checks.getByText('A link leads nowhere.').waitFor()
  await page.getByRole('region', { name: 'Button, chosen' }).getByLabel('Link').fill('https://shop.example/winter')
  await checks.getByText('A link leads nowhere.').waitFor({ state: 'detached' })
  assert.match(await written(), /<mj-button href="https:\/\/shop\.example\/winter">/)
  await close()
})

test('a long mail goes along with the block that is chosen, and with one that is dragged', { skip }, async () => {
  const { page, written, close } = await open(mailOf(...Array.from({ length: 40 }, (_, n) => `Block ${n + 1}.`)))
  await page.locator('[aria-busy=true] iframe[title="The mail"]').waitFor({ state: 'detached' })
  await page.evaluate<void>('scrollTo(0, 400)')
  const list = page.getByRole('list', { name: 'Blocks of the mail' })
  await list.getByText('Block 40.').click()
  const place = (words: string) =>
    page.evaluate<{ x: number; y: number }>(`(() => {
      const frame = document.querySelector('iframe[title="The mail"]')
      const all = [...frame.contentDocument.querySelectorAll('[class*="mark-"]')]
      const box = all.findLast(({ textContent }) => textContent.includes(${JSON.stringify(words)})).getBoundingClientRect()
      const { left, top } = frame.getBoundingClientRect()
      return { x: left + box.left + 40, y: top + box.top + box.height / 2 }
    })()`)
  await eventually('it is in sight', async () => {
    const { y } = await place('Block 40.')
    return y > 0 && y < 900
  })
  const from = await place('Block 40.')
  await page.mouse.move(from.x, from.y)
  await page.mouse.down()
  await eventually('the first is in sight', async () => {
    for (const y of [30, 28, 26, 24]) await page.mouse.move(from.x, y)
    return (await place('Block 1.')).y > 120
  })
  // Away from the edge nothing goes on.
  await page.mouse.move(from.x, 450)
  let [before, now] = [0, 1]
  await eventually('it stands', async () => {
    before = now
    now = (await place('Block 2.')).y
    return now === before
  })
  await page.mouse.move(from.x, now - 2, { steps: 3 })
  await page.mouse.up()
  await eventually('it is moved', async () => {
    const body = await written()
    return body.indexOf('Block 40.') < body.indexOf('Block 3.')
  })
  await close()
})

test('a mail whose subject is at fault is said to be one, and the subject has no lines', { skip }, async () => {
  const { page, close } = await open(mailOf('Words'), 'Hello {{ first_name')
  await page.getByText('Output "{{ first_name" not closed.', { exact: true }).waitFor()
  await preview(page).getByText('It can be shown once what is wrong with it is mended.').waitFor()
  await close()
})

test('what is called a desktop is one: columns stand beside each other where the page is 1280 px wide', {
  skip,
}, async () => {
  const { page, close } = await open(await sampleBody('newsletter'))
  const mail = page.frameLocator('iframe[title="The mail"]')
  await mail.getByText('A lamp from one plank').first().waitFor()
  const top = async (words: string) => (await mail.getByText(words).first().boundingBox())!.y
  assert.equal(await top('A lamp from one plank'), await top('Oil or wax?'))
  await close()
})

/** Texts whose lines lie upon each other; asked of a page in which no script of its own runs. */
const TOO_CLOSE = `[...document.querySelectorAll('td > div')]
  .map((text) => ({ words: text.innerText.trim(), style: getComputedStyle(text) }))
  .filter(({ words, style }) => words !== '' && parseFloat(style.lineHeight) < parseFloat(style.fontSize))
  .map(({ words, style }) => words + ': ' + style.fontSize + ' in ' + style.lineHeight)`

test('letters of any size keep their lines apart, in every mail that one may begin with', { skip }, async () => {
  const { items } = (await world.site('GET', '/templates/samples')).json
  const beginnings = [{ key: 'letter to begin with', body: firstMail(null), variables: {} }, ...items]
  const context = await world.browser.newContext()
  const page = await context.newPage()
  for (const { key, body, variables } of beginnings) {
    const large = body
      .replaceAll(/(<mj-text\b[^>]*?) font-size="[^"]*"/g, '$1')
      .replaceAll(/<mj-text\b/g, '<mj-text font-size="64px"')
    const { html } = (await world.site('POST', '/templates/preview', { subject: 'Large', body: large, variables })).json
    await page.setContent(html, { waitUntil: 'domcontentloaded' })
    assert.match(html, /font-size:64px/)
    assert.deepEqual(await page.evaluate(TOO_CLOSE), [], key)
  }
  await context.close()
})

test('an inbox reads what the opened mail hides, and neither styles nor comments', () => {
  const html =
    '<!doctype html><html><head><title>No</title><style>p > a { color: red }</style></head><body><!-- no -->' +
    '<div style="display:none">Hidden &amp; <b>s</b>een&nbsp;</div><style>no</style><p>First</p><p>Second</p></body></html>'
  assert.equal(inboxWords(html), 'Hidden & seen First Second')
  assert.equal(inboxWords('<p>'), '')
})
