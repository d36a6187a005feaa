import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** For a machine that starts others, too. */
const START_MS_MAX = 180_000

const executablePath = [process.env.CHROMIUM_PATH, ...PLACES].find((path) => path !== undefined && existsSync(path))

/** For `skip` of every test that needs a browser: false where there is one. */
export const WITHOUT_BROWSER: string | false =
  executablePath === undefined ? 'Chromium is not installed: apt-get install chromium, or CHROMIUM_PATH' : false

export function launchChromium(): Promise<Browser> {
  if (executablePath === undefined) throw new Error(String(WITHOUT_BROWSER))
  // Chromium's own sandbox refuses root; what it shows here is ours alone.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  return chromium.launch({ executablePath, args: [...args, '--disable-dev-shm-usage'], timeout: START_MS_MAX })
}
