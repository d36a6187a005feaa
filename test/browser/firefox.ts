import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { type Browser, firefox } from 'playwright-core'

const PLACES = ['/usr/bin/firefox-esr', '/usr/bin/firefox']

/** For a machine that starts others, too. */
const START_MS_MAX = 180_000

const executablePath = [process.env.FIREFOX_PATH, ...PLACES].find((path) => path !== undefined && existsSync(path))

/** The first that knows all of WebDriver BiDi that Playwright asks for; `.ci/run` has it as well. */
const VERSION_MIN = 143

/** For `skip` of every test that needs it: false where there is one. */
export const WITHOUT_FIREFOX: string | false = whyNot()

function whyNot(): string | false {
  if (executablePath === undefined) return 'Firefox is not installed: apt-get install firefox-esr, or FIREFOX_PATH'
  const told = execFileSync(executablePath, ['--version'], { encoding: 'utf8' })
  const version = Number(/\d+/.exec(told)?.[0])
  return version < VERSION_MIN ? `Firefox is too old: ${told.trim()}, ${VERSION_MIN} is needed` : false
}

/** Firefox as Debian and Mozilla ship it, driven by WebDriver BiDi: a channel's name has no build of Playwright's own started. */
export function launchFirefox(): Promise<Browser> {
  if (executablePath === undefined) throw new Error(String(WITHOUT_FIREFOX))
  return firefox.launch({ channel: 'moz-firefox', executablePath, timeout: START_MS_MAX })
}
