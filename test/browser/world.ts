import type { Browser, BrowserContext, Page } from 'playwright-core'
import { eventually } from '../support/eventually.ts'
import type { Answer } from '../support/http-client.ts'
import { cookieOf, type SiteCaller, siteCaller } from '../support/site-caller.ts'
import { type KilledInstance, startTestedInstance } from '../support/tested-instance.ts'
import { builtDashboard } from './built-dashboard.ts'
import { launchChromium } from './chromium.ts'

/** The built dashboard in a real browser, on a real server with its database: one a file. */
export type World = {
  instance: KilledInstance
  browser: Browser
  /** Requests as the dashboard makes them, by the owner: `world.site('POST', '/contacts', { … })`. Throws for a refusal. */
  site(method: string, path: string, json?: object): Promise<Answer>
  people: SiteCaller
  /** The owner's session. */
  cookie: string
  /** A page of its own, logged in as the owner, or with another cookie, or with none. */
  open(path: string, options?: OpenOptions): Promise<WatchedPage>
  close(): Promise<void>
}

export type OpenOptions = {
  cookie?: string | null
  scheme?: 'light' | 'dark'
  width?: number
  /** The zone that its browser is in. */
  zone?: string
  /** The language that its browser is in. */
  locale?: string
  /** Before anything is loaded. */
  before?: (page: Page) => Promise<void>
}

export type WatchedPage = {
  page: Page
  context: BrowserContext
  /** Everything that went wrong in it: errors of scripts and of the console, and what the policy refused. */
  faults: string[]
  close(): Promise<void>
}

const HEIGHT = 900
/** For what a page is waited for, on a machine that does other things too. */
const WAIT_MS_MAX = 120_000
/**
 * `SLOW_PAGES=300 npm test test/browser/…`: ms that each answer and each timer of a page comes later, and a third of it each frame,
 * with a processor that is so many times slower.
 */
const SLOW_MS = Number(process.env.SLOW_PAGES ?? 0)
const SLOW_RATE = 4
const LATE_TIMERS = `{
  const later = setTimeout
  window.setTimeout = (act, ms = 0, ...values) => later(act, Number(ms) + ${SLOW_MS}, ...values)
  window.requestAnimationFrame = (act) => later(() => act(performance.now()), ${Math.round(SLOW_MS / 3)})
  window.cancelAnimationFrame = clearTimeout
}`
const NOTHING_MOVES = `document.getAnimations().every(({ playState, effect, timeline }) =>
  timeline !== document.timeline || playState !== 'running' || effect.getComputedTiming().iterations === Infinity)`
const TELL_VIOLATIONS = `addEventListener('securitypolicyviolation', (event) => tellViolation(event.violatedDirective + ' ' + event.blockedURI))`

export async function openWorld(
  env: Record<string, string> = {},
  start: (env: Record<string, string>) => Promise<KilledInstance> = startTestedInstance,
): Promise<World> {
  await builtDashboard()
  const instance = await start({ MAILBOX_ADDR: '127.0.0.1:0', ...env })
  const people = siteCaller(instance)
  const browser = await launchChromium()
  const cookie = cookieOf(await people.logIn(instance.email, instance.password))
  return {
    instance,
    browser,
    people,
    cookie,
    async site(method, path, json) {
      const answer = await people.call(method, `/site/workspaces/default${path}`, { cookie, ...(json ? { json } : {}) })
      if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
      return answer
    },
    open: (path, options = {}) => openPage(browser, instance.baseUrl, path, { cookie, ...options }),
    async close() {
      await browser.close()
      await instance.close()
    },
  }
}

async function openPage(browser: Browser, baseUrl: string, path: string, options: OpenOptions): Promise<WatchedPage> {
  const { cookie, scheme = 'light', width = 1_280, zone = 'Europe/Berlin', locale = 'en-GB', before } = options
  const context = await browser.newContext({
    baseURL: baseUrl,
    colorScheme: scheme,
    locale,
    timezoneId: zone,
    reducedMotion: 'reduce',
    viewport: { width, height: HEIGHT },
  })
  context.setDefaultTimeout(WAIT_MS_MAX)
  if (cookie) {
    const [name = '', value = ''] = cookie.split('=', 2)
    await context.addCookies([{ name, value, url: baseUrl, httpOnly: true, sameSite: 'Lax' }])
  }
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`))
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(`console: ${message.text()}`)
  })
  await page.exposeFunction('tellViolation', (text: string) => faults.push(`policy: ${text}`))
  await page.addInitScript(TELL_VIOLATIONS)
  if (SLOW_MS > 0) await slowDown(page)
  await before?.(page)
  await page.goto(path)
  return { page, context, faults, close: () => context.close() }
}

/**
 * What a test did not wait for is not there yet: each answer and part, and what a script does a moment later, comes late, and it runs
 * as on an old telephone.
 */
async function slowDown(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.emulateNetworkConditions', {
    ...{ offline: false, latency: SLOW_MS, downloadThroughput: -1, uploadThroughput: -1 },
  })
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOW_RATE })
  await page.addInitScript(LATE_TIMERS)
}

/** Waits until the page shows what it has to show: its heading, and nothing that is still on its way. */
export async function settled(page: Page): Promise<void> {
  await page.locator('main h1').first().waitFor()
  await page.locator('main [data-busy]').first().waitFor({ state: 'detached' })
  await page.evaluate('document.fonts.ready.then(() => undefined)')
  // A layer that is still fading in has neither its colours nor its place.
  // Not by `waitForFunction`, whose second look the policy of the page refuses.
  await eventually('nothing moves', () => page.evaluate<boolean>(NOTHING_MOVES))
}
