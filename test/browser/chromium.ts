import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** For a machine that starts others, too. */
const START_MS_MAX = 180_000

const executablePath = [process.env.CHROMIUM_PATH, ...PLACES].find((path) => path !== undefined && existsSync(path))

/** For `skip` of every test that needs a browser: false where there is one. */
export const WITHOUT_BROWSER: string | false =
  executablePath === undefined ? 'Chromium is not installed: apt-get install chromium, or CHROMIUM_PATH' : false

/**
 * Features that are off: those that Playwright turns off, since the last such option is the only one, and pages of the browser's own
 * below its address bar, which it makes ready for each window.
 */
const OFF = [
  ...['AimEnabled', 'AutoDeElevate', 'AvoidCorsURLLoaderRestartOnRedirect', 'AvoidUnnecessaryBeforeUnloadCheckSync'],
  ...['BlockOriginHeaderModificationOnRedirect', 'DestroyProfileOnBrowserClose', 'DialMediaRouteProvider'],
  ...['GlobalMediaControls', 'HttpsUpgrades', 'LensOverlay', 'MediaRouter', 'NetworkTimeServiceQuerying'],
  ...['OptimizationHints', 'PaintHolding', 'ThirdPartyStoragePartitioning', 'Translate'],
  ...['msEdgeUpdateLaunchServicesPreferredVersion', 'msForceBrowserSignIn'],
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'],
]

/**
 * Chromium's own sandbox refuses root; what it shows here is ours alone. Where there is no graphics card it would play one, which took a
 * fifth of the processor time of pages.
 */
const ARGS = [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), '--disable-dev-shm-usage', '--disable-gpu']

export function launchChromium(more: readonly string[] = []): Promise<Browser> {
  if (executablePath === undefined) throw new Error(String(WITHOUT_BROWSER))
  const args = [...ARGS, ...more, `--disable-features=${OFF.join(',')}`]
  return chromium.launch({ executablePath, args, timeout: START_MS_MAX })
}

/** Opens an address as a person does, with no program that looks on: of pages that are made ready in advance for one, none is shown. */
export async function openAlone(address: string): Promise<{ close(): Promise<void> }> {
  const profile = await mkdtemp(join(tmpdir(), 'postroom-chromium-'))
  const args = [...ARGS, '--headless=new', '--no-first-run', `--user-data-dir=${profile}`, address]
  const child = spawn(executablePath!, args, { stdio: 'ignore' })
  return {
    async close() {
      child.kill()
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      await rm(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
    },
  }
}
