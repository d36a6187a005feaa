import { rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { launchChromium } from '../test/browser/chromium.ts'
import { EDITOR_BYTES_MAX, FIRST_CSS_BYTES_MAX, FIRST_JS_BYTES_MAX, pageBytes } from '../test/browser/page-bytes.ts'
import { send } from '../test/support/http-client.ts'
import { type Instance, startInstance } from '../test/support/instance.ts'
import { cookieOf } from '../test/support/site-caller.ts'
import { field, IN_PAGE, keyTimes, toPage, toPreview, toRows, usedBytes } from './dashboard-pages.ts'
import { fillBroadcast } from './fill-broadcast.ts'
import { fillSegments } from './fill-segments.ts'
import { withDatabase } from './instance-database.ts'
import { limitText } from './measure.ts'

const TOKEN = 'bench-dashboard-bench-dashboard-bench-dashboard'
/** The first start makes the login; the second one finds it. */
const PASSWORD = 'password of the bench'
const BUDGET_MS = { list: 400, overview: 500, report: 300, key: 16, preview: 500, start: 2_000 }
const RUNS = 20
const STARTS = 5
const KEYS = 70
const ROUTE_CHANGES = 200
/** What scripts use may be so much more after them: a few answers that are kept. */
const MEMORY_BYTES_MAX = 3_000_000
const LONG_BODY_CHARS = 195_000
const NAME = 'News of the bench'

/**
 * The dashboard in a browser, each number beside its budget: bytes of routes, the list of contacts with each filter, overview, report, keys and
 * previews in the editor, memory over many routes, a warm start. `--contacts` and `--events` say how many there are (100,000 and
 * 1,000,000); `--long` is 1,000,000 and 10,000,000; `--data <folder>` keeps what is filled and uses it again.
 */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      contacts: { type: 'string' },
      events: { type: 'string' },
      long: { type: 'boolean', default: false },
      data: { type: 'string' },
    },
  })
  const contacts = Number(values.contacts ?? (values.long ? 1_000_000 : 100_000))
  const events = Number(values.events ?? (values.long ? 10_000_000 : 1_000_000))
  const dataDir = values.data ?? path.join(os.tmpdir(), `postroom-bench-dashboard-${process.pid}`)
  const env = { BOOTSTRAP_TOKEN: TOKEN, BOOTSTRAP_PASSWORD: PASSWORD, RATE_LIMIT_API: '0', MAILBOX_ADDR: '127.0.0.1:0' }
  await sayBytes()
  let instance = await startInstance({ dataDir, env })
  const browser = await launchChromium()
  try {
    await fill(instance, { contacts, events })
    const starts: number[] = []
    for (let start = 0; start < STARTS; start++) {
      await instance.stop()
      instance = await startInstance({ dataDir, env })
      starts.push(instance.readyAfterMs)
    }
    say('warm start', starts, BUDGET_MS.start)
    await inBrowser(browser, instance, async (open) => {
      await measureLists(await open('/contacts'))
      await measurePages(open)
      await measureEditor(open, instance)
      await measureMemory(await open(''))
    })
  } finally {
    await browser.close()
    await instance.stop()
    if (values.data === undefined) await rm(dataDir, { recursive: true, force: true })
  }
}

async function sayBytes(): Promise<void> {
  const { js, css, editor, others } = await pageBytes()
  console.log(`first page, scripts: ${limitText(js, FIRST_JS_BYTES_MAX, 'bytes')}`)
  console.log(`first page, styles: ${limitText(css, FIRST_CSS_BYTES_MAX, 'bytes')}`)
  console.log(`the editor of mails: ${limitText(editor, EDITOR_BYTES_MAX, 'bytes')}`)
  const byRoom = others.toSorted((a, b) => b.bytes / b.bytesMax - a.bytes / a.bytesMax)
  for (const { page, bytes, bytesMax } of byRoom.slice(0, 3))
    console.log(`${page}: ${limitText(bytes, bytesMax, 'bytes')}`)
}

function p95(valuesMs: readonly number[]): number {
  const sorted = valuesMs.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * 0.95) - 1)] ?? Number.NaN
}

function say(name: string, valuesMs: readonly number[], budgetMs: number): void {
  const sorted = valuesMs.toSorted((a, b) => a - b)
  const median = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
  const spread = valuesMs.length === 1 ? '' : ` (p50 ${median.toFixed(1)}, of ${valuesMs.length})`
  console.log(`${name}: ${limitText(p95(valuesMs), budgetMs, 'ms')}${spread}`)
}

async function ask(instance: Instance, resource: string, json: object): Promise<string> {
  const answer = await send('POST', `${instance.baseUrl}/api${resource}`, { token: TOKEN, json })
  if (answer.status >= 300) throw new Error(`POST ${resource}: ${answer.status} ${answer.text}`)
  return answer.json.id
}

const SEGMENTS = ['tag 150', 'tag 20', 'tag 5', 'tag 90', 'tag 180']

async function fill(instance: Instance, rows: { contacts: number; events: number }): Promise<void> {
  await withDatabase(instance, async (client) => {
    if ((await client.query('select from contacts where workspace_id = 1 limit 1')).rowCount) return
    const startedMs = performance.now()
    await fillSegments(client, rows)
    // The list is narrowed by when somebody was changed.
    await client.query('update contacts set updated_at = created_at where workspace_id = 1')
    await client.query('vacuum analyze contacts, contact_search')
    const body = '<p>Hello. <a href="https://example.com/">Look</a> <a href="{{ unsubscribe_url }}">Unsubscribe</a></p>'
    const id = await ask(instance, '/broadcasts', {
      name: NAME,
      subject: 'News',
      body,
      text: 'Hello. {{ unsubscribe_url }}',
    })
    await fillBroadcast(client, { id, people: rows.contacts })
    for (const tag of SEGMENTS) {
      const rules = [
        { field: 'tag', operator: 'has', value: tag },
        { field: 'custom:age', operator: '>', value: '30' },
      ]
      await ask(instance, '/segments', { name: tag, definition: JSON.stringify({ combinator: 'and', rules }) })
    }
    const seconds = Math.round((performance.now() - startedMs) / 1_000)
    console.log(
      `${rows.contacts} contacts, ${rows.events} events and a broadcast to all of them, filled in ${seconds} s`,
    )
  })
}

type Open = (below: string) => Promise<Page>

async function inBrowser(browser: Browser, instance: Instance, work: (open: Open) => Promise<void>): Promise<void> {
  const json = { email: instance.email, password: PASSWORD }
  const headers = { origin: instance.baseUrl }
  const login = await send('POST', `${instance.baseUrl}/site/auth/login`, { json, headers })
  const [name = '', value = ''] = cookieOf(login).split('=', 2)
  const context: BrowserContext = await browser.newContext({
    baseURL: instance.baseUrl,
    viewport: { width: 1_280, height: 900 },
    reducedMotion: 'reduce',
  })
  await context.addCookies([{ name, value, url: instance.baseUrl, httpOnly: true, sameSite: 'Lax' }])
  await context.addInitScript(IN_PAGE)
  const page = await context.newPage()
  try {
    await work(async (below) => {
      await page.goto(`/app/default${below}`)
      await page.locator('main h1').first().waitFor()
      await page.locator('main [data-busy]').first().waitFor({ state: 'detached' })
      return page
    })
  } finally {
    await context.close()
  }
}

async function measureLists(page: Page): Promise<void> {
  const all: number[] = []
  const kind = async (name: string, acts: readonly string[]) => {
    const times: number[] = []
    for (const act of acts) times.push(await toRows(page, act))
    all.push(...times)
    say(`contacts, ${name}`, times, BUDGET_MS.list)
  }
  const times = <T>(of: (n: number) => T) => Array.from({ length: RUNS }, (_, n) => of(n))
  const press = (label: string) => `document.querySelector('main [aria-label="${label}"]').click()`
  const search = (text: string) => `const at = ${field('Search contacts')}; write(at, '${text}'); enter(at)`
  const choose = (label: string, value: string) => `write(${field(label)}, '${value}')`
  const clear = async () =>
    toRows(page, `[...document.querySelectorAll('button')].find((b) => b.innerText.startsWith('Clear filter')).click()`)
  await kind(
    'the next page',
    times(() => press('Next page')),
  )
  await kind(
    'another order',
    ['Contact', 'Contact', 'Created', 'Created', 'Contact'].map(
      (head) => `[...document.querySelectorAll('th button')].find((b) => b.innerText.startsWith('${head}')).click()`,
    ),
  )
  await kind(
    'a tag',
    times((n) => choose('Tag', `tag ${n * 9 + 1}`)),
  )
  await clear()
  await kind(
    'a search',
    [...'Ada,grace,person 77,person123,example.com,son 4,zz'.split(','), ...times((n) => `person${n * 37 + 11}@`)].map(
      search,
    ),
  )
  await clear()
  const segments = await page.evaluate<string[]>(
    `[...${field('Segment')}.options].map(({ value }) => value).filter(Boolean)`,
  )
  await kind(
    'a segment',
    [...segments, ...segments].map((id) => choose('Segment', id)),
  )
  await clear()
  await toRows(page, choose('Changed', '30'))
  await kind(
    'changed since',
    ['7', '1', '30'].map((days) => choose('Changed', days)),
  )
  await clear()
  await page.getByLabel('Field', { exact: true }).selectOption('age')
  await page.getByLabel('Value of age').waitFor()
  await kind(
    'a field',
    times((n) => `const at = ${field('Value of age')}; write(at, '${18 + n}'); enter(at)`),
  )
  say('contacts, every one of these', all, BUDGET_MS.list)
}

async function measurePages(open: Open): Promise<void> {
  const visits = async (name: string, from: string, to: { name: string; words: string }, budgetMs: number) => {
    const times: number[] = []
    for (let visit = 0; visit < RUNS; visit++) times.push(await toPage(await open(from), to))
    say(name, times, budgetMs)
  }
  await visits('contacts, from another page', '/team', { name: 'Contacts', words: '@example.com' }, BUDGET_MS.list)
  await visits('overview', '/team', { name: 'Overview', words: 'Machines, counted apart' }, BUDGET_MS.overview)
  await visits('report', '/broadcasts', { name: NAME, words: 'What machines did' }, BUDGET_MS.report)
}

const mailOf = (paragraphs: number, words: string) =>
  `<mjml><mj-body>\n${`<mj-section><mj-column><mj-text>${words}</mj-text></mj-column></mj-section>\n`.repeat(paragraphs)}</mj-body></mjml>`

async function measureEditor(open: Open, instance: Instance): Promise<void> {
  const words = 'Words of a mail that somebody wrote. '.repeat(12)
  const long = mailOf(Math.floor(LONG_BODY_CHARS / mailOf(1, words).length), words)
  for (const [name, body] of [
    ['a mail', mailOf(8, words)],
    [`a mail of ${long.length} characters`, long],
  ] as const) {
    const id = await ask(instance, '/templates', { name: `${name} ${Date.now()}`, subject: 'News', body })
    const page = await open(`/templates/${id}?write=code`)
    await page.locator('.cm-content').first().click()
    await page.keyboard.press('Control+Home')
    await page.keyboard.press('End')
    say(`${name}: key to glyph in its code`, await keyTimes(page, '.cm-content', KEYS), BUDGET_MS.key)
    await open(`/templates/${id}`)
    await page.getByRole('list', { name: 'Blocks of the mail' }).getByText('Text', { exact: true }).first().click()
    const prose = page.getByRole('textbox', { name: 'Text', exact: true })
    await prose.click()
    say(
      `${name}: key to glyph in its words`,
      await keyTimes(
        page,
        '[contenteditable=true][aria-label=Text], [aria-label=Text] [contenteditable=true], .tiptap',
        KEYS,
      ),
      BUDGET_MS.key,
    )
    const previews: number[] = []
    for (let n = 0; n < RUNS; n++) previews.push(await toPreview(page, ` mark${n}x`))
    say(`${name}: preview`, previews, BUDGET_MS.preview)
  }
}

async function measureMemory(page: Page): Promise<void> {
  const names = (await page.locator('nav[aria-label=Pages] a').allInnerTexts()).map((name) => name.trim())
  let changes = 0
  const walk = async (count: number) => {
    for (let step = 0; step < count; step++) {
      const name = names[changes++ % names.length]!
      await page.evaluate(`link(${JSON.stringify(name)}).click()`)
      await page.locator('nav[aria-label=Pages] a[aria-current=page]', { hasText: name }).waitFor()
      await page.locator('main [data-busy]').first().waitFor({ state: 'detached' })
    }
  }
  await walk(names.length * 2)
  const before = await usedBytes(page)
  await walk(ROUTE_CHANGES)
  const after = await usedBytes(page)
  console.log(
    `memory of scripts: ${(before / 1e6).toFixed(1)} MB, ${(after / 1e6).toFixed(1)} MB after ${ROUTE_CHANGES} more routes`,
  )
  console.log(`  more: ${limitText(Math.max(0, after - before), MEMORY_BYTES_MAX, 'bytes')}`)
}
