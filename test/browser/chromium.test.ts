import assert from 'node:assert/strict'
import { test } from 'node:test'
import { launchChromium, WITHOUT_BROWSER } from './chromium.ts'

const OPTION = '--disable-features='

test('the browser has off what Playwright turns off, beside what we do', { skip: WITHOUT_BROWSER }, async () => {
  const browser = await launchChromium(['--enable-automation'])
  try {
    const session = await browser.newBrowserCDPSession()
    const { arguments: given } = await session.send('Browser.getBrowserCommandLine')
    const [theirs, ours] = given
      .filter((argument) => argument.startsWith(OPTION))
      .map((argument) => argument.slice(OPTION.length).split(','))
    assert.ok(theirs !== undefined && theirs.length > 10)
    assert.deepEqual(
      theirs.filter((name) => !ours?.includes(name)),
      [],
    )
  } finally {
    await browser.close()
  }
})
