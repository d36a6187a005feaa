import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { contrastOf } from '../../server/modules/readers/readable-on.ts'
import { renderMail } from '../../server/modules/system-mail/render-mail.ts'
import { eventually } from '../support/eventually.ts'
import { WITHOUT_BROWSER } from './chromium.ts'
import { openWorld, type World } from './world.ts'

/* Mails whose words are the service's own, as a phone shows them, by day and in the dark. */

const skip = WITHOUT_BROWSER
const PHONE_PX = 320
/** WCAG 2.2: 1.4.3 of words, 2.5.5 of what a finger is to hit. */
const CONTRAST_MIN = 4.5
const FINGER_PX = 44

let world: World
before(async () => {
  if (!skip) world = await openWorld()
})
after(() => world?.close())

type Seen = {
  scrolls: number
  title: string
  charset: string | null
  words: { text: string; colour: string; behind: string }[]
  link: number
}

/** Asked of a page in which no script of its own runs. */
const LOOK = `(() => {
  const behind = (element) => {
    if (element === null) return 'rgb(255, 255, 255)'
    const { backgroundColor } = getComputedStyle(element)
    return backgroundColor === 'rgba(0, 0, 0, 0)' ? behind(element.parentElement) : backgroundColor
  }
  const shown = [...document.body.querySelectorAll('p, a')].filter((element) => element.innerText.trim() !== '')
  return {
    scrolls: document.documentElement.scrollWidth,
    title: document.title,
    charset: document.querySelector('meta[charset]')?.getAttribute('charset') ?? null,
    words: shown.map((element) => ({ text: element.innerText, colour: getComputedStyle(element).color, behind: behind(element) })),
    link: document.querySelector('a').getBoundingClientRect().height,
  }
})()`

async function seen(mail: string, colorScheme: 'light' | 'dark'): Promise<Seen> {
  const context = await world.browser.newContext({
    colorScheme,
    isMobile: true,
    viewport: { width: PHONE_PX, height: 640 },
  })
  const page = await context.newPage()
  await page.route('**', (route) => route.abort())
  await page.setContent(mail, { waitUntil: 'domcontentloaded' })
  const look = await page.evaluate<Seen>(LOOK)
  await context.close()
  return look
}

const hex = (colour: string) =>
  `#${[...colour.matchAll(/\d+/g)]
    .slice(0, 3)
    .map(([part]) => Number(part).toString(16).padStart(2, '0'))
    .join('')}`

async function holds(mail: string, subject: string): Promise<void> {
  const grounds = new Set<string>()
  for (const scheme of ['light', 'dark'] as const) {
    const { scrolls, title, charset, words, link } = await seen(mail, scheme)
    assert.equal(scrolls, PHONE_PX, `${scheme}: as wide as the phone`)
    assert.deepEqual([title, charset], [subject, 'utf-8'])
    assert.ok(link >= FINGER_PX, `${scheme}: the link is ${link} high`)
    assert.ok(words.length >= 3, `${words.length} texts`)
    for (const { text, colour, behind } of words) {
      assert.ok(contrastOf(hex(colour), hex(behind)) >= CONTRAST_MIN, `${scheme}: ${text} is ${colour} on ${behind}`)
    }
    grounds.add(words[0]!.behind)
  }
  assert.equal(grounds.size, 2, 'the dark has a ground of its own')
}

test('an invitation and its like fit a phone and the dark, whatever somebody is called', { skip }, async () => {
  const name = 'Öffentlichkeits'.repeat(12)
  const { html } = renderMail({
    subject: `Invitation\nto ${name}`,
    paragraphs: ['Hello Ada,', `Ben invites you to ${name}.`],
    link: { label: 'Accept the invitation', url: 'https://mail.example.com/app/join#a' },
    closing: ['It is good for 7 days.'],
  })
  await holds(html, `Invitation to ${name}`)
})

test('a mail that asks for a yes fits a phone and the dark, under the mark of the workspace', { skip }, async () => {
  await world.site('PATCH', '', { color: '#ffee00', logoUrl: 'https://cdn.example.com/logo.png' })
  await world.site('PATCH', '/sending-settings', { doubleOptIn: true, postalAddress: '12 Mill Lane\nYork YO1 7HH' })
  await world.site('POST', '/contacts', { email: 'grace@example.com' })
  const mails = async () => (await world.site('GET', '/mailbox?to=grace@example.com')).json.items
  await eventually('it is there', async () => (await mails()).length > 0)
  const [{ id, subject }] = await mails()
  const { html } = (await world.site('GET', `/mailbox/${id}`)).json
  await holds(html, subject)
  assert.match(html, /12 Mill Lane<br>York/)
})
