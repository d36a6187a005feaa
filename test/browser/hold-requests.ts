import type { Page, Route } from 'playwright-core'

export type Held = {
  /** Resolves when the page has asked. */
  isThere: Promise<void>
  /** Sends on what waits, and all that comes. */
  letGo(): Promise<void>
}

/** Keeps requests of one method under a path of the workspace (a glob) on their way to the server until they are let go. */
export async function holdRequests(page: Page, method: string, path: string): Promise<Held> {
  const [asked, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const pattern = `**/site/workspaces/*${path}`
  const hold = async (route: Route) => {
    if (route.request().method() === method) {
      asked.resolve()
      await over.promise
    }
    await route.fallback()
  }
  await page.route(pattern, hold)
  return {
    isThere: asked.promise,
    async letGo() {
      over.resolve()
      await page.unroute(pattern, hold)
    },
  }
}
