import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { startCollectPeer } from '../support/collect-peer.ts'
import { eventually } from '../support/eventually.ts'
import { send } from '../support/http-client.ts'
import { startTestedInstance } from '../support/tested-instance.ts'
import { builtDashboard } from './built-dashboard.ts'

const LIST_MAX = 100
/** Chromium without a window says that it is a program, which is not counted. Firefox does not. */
const USER_AGENT =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'
const STUB = '<script>window.postroom=function(){(postroom.q=postroom.q||[]).push(arguments)}</script>'

type Recorded = {
  properties: Record<string, unknown>
  occurredAt: string
  visitorId: string | null
  contactId: string | null
}
type KnownContact = { id: string; isUnproven: boolean }

export type TrackedShop = Awaited<ReturnType<typeof openTrackedShop>>

/** The service, a shop whose pages report to it, and a browser over both. `files` are served by the shop under their paths. */
export async function openTrackedShop(
  launch: () => Promise<Browser>,
  files: () => Promise<Record<string, Buffer>> = async () => ({}),
) {
  const script = await readFile(path.join(await builtDashboard(), 'scripts', 't.js'))
  const server = await startTestedInstance({
    MAILBOX_ADDR: '127.0.0.1:0',
    // One visitor here does what a thousand do elsewhere.
    RATE_LIMIT_COLLECT: '0',
    RATE_LIMIT_COLLECT_IP: '0',
  })
  const { database, sql, makeToken, makeWorkspace } = server
  const shop = await startCollectPeer({ '/t.js': script, ...(await files()) })
  const browser = await launch()
  const agent = browser.browserType().name() === 'chromium' ? { userAgent: USER_AGENT } : {}
  /** What the API answers. */
  const read = async (at: string) => (await send('GET', `${server.baseUrl}/api${at}`, { token: server.token })).json
  const key: string = (await read('/trackers')).items[0].key

  return {
    ...{ server, script, database, shop, read, key, sql, makeToken, makeWorkspace },

    /** Kills the service and starts it anew. */
    async restart(): Promise<void> {
      await server.kill()
      await server.startAgain()
    },

    /** The shop serves the script itself, as behind a proxy: without it there would be nothing to tell of. */
    tag: (attributes = '') =>
      `${STUB}<script async src="${shop.shopUrl}/t.js" data-collect-url="${server.baseUrl}/collect" data-collect-key="${key}" ${attributes}></script>`,

    /** Somebody's browser, on the pages of a shop. */
    async visitor(baseURL = shop.shopUrl): Promise<BrowserContext> {
      const context = await browser.newContext({ baseURL, ...agent })
      context.setDefaultTimeout(120_000)
      return context
    },

    /** Every event of the workspace of that name. */
    async recorded(action: string): Promise<Recorded[]> {
      const items: Recorded[] = []
      let cursor = ''
      do {
        const query = new URLSearchParams({ action, limit: String(LIST_MAX), ...(cursor && { cursor }) })
        const page = await read(`/events?${query}`)
        items.push(...page.items)
        cursor = page.nextCursor ?? ''
      } while (cursor)
      return items
    },

    contactOf: async (email: string): Promise<KnownContact | undefined> =>
      (await read(`/contacts?search=${email}`)).items[0],

    /** The newest mail to an address, as soon as there is one. */
    async caught(email: string) {
      let mail: { id?: string } = {}
      await eventually('a mail', async () => {
        mail = await read(`/mailbox/wait?to=${email}&timeoutSeconds=5`)
        return mail.id !== undefined
      })
      return read(`/mailbox/${mail.id}`)
    },

    async close(): Promise<void> {
      await browser.close()
      await shop.close()
      await server.close()
    },
  }
}

/** A page on which the tracker has begun. */
export async function openTracked(context: BrowserContext, address: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(address)
  await page.waitForFunction('window.postroom && window.postroom.on')
  return page
}

/** How much the browser has to send. */
export const queued = (page: Page): Promise<number> =>
  page.evaluate(`Object.keys(localStorage).filter((name) => name.startsWith('pr_q.')).length`)

/** Waits until the browser has nothing left to send, not minding the pauses that it keeps. */
export async function delivered(page: Page): Promise<void> {
  await eventually('everything is taken', async () => {
    await page.evaluate(`localStorage.removeItem('pr_retry'), postroom('flush')`)
    return (await queued(page)) === 0
  })
}
