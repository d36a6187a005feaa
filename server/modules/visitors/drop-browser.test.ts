import assert from 'node:assert/strict'
import { test } from 'node:test'
import { browserSigns, dropReason } from './drop-browser.ts'

const CHROME = {
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  'sec-fetch-mode': 'cors',
}
const isMachine = (headers: Record<string, string>, expectsMetadata = true) =>
  browserSigns(headers, { expectsMetadata }).isMachine

test('programs that say what they are, or fetch as no browser does, are told from people', () => {
  assert.equal(isMachine(CHROME), false)
  for (const headers of [
    {},
    { 'user-agent': 'Googlebot/2.1', 'sec-fetch-mode': 'cors' },
    { ...CHROME, 'user-agent': 'curl/8.5.0' },
    { ...CHROME, 'user-agent': CHROME['user-agent'].replace('Chrome', 'HeadlessChrome') },
    { ...CHROME, 'sec-ch-ua': '"HeadlessChrome";v="140"' },
    { 'user-agent': CHROME['user-agent'] },
  ])
    assert.equal(isMachine(headers as Record<string, string>), true, JSON.stringify(headers))
  assert.equal(isMachine({ 'user-agent': CHROME['user-agent'] }, false), false, 'over http nobody says how they fetch')
})

test('consent decides as the tracker’s mode says, and Global Privacy Control is a no until there is a yes', () => {
  const none = { isMachine: false, gpc: false }
  const gpc = { isMachine: false, gpc: true }
  const by = (consentMode: 'required' | 'implied' | 'cookieless', respectGpc = true) =>
    ({ consentMode, respectGpc, paused: false }) as const
  for (const [tracker, signs, consent, reason] of [
    [by('required'), none, 'granted', null],
    [by('required'), gpc, 'granted', null],
    [by('required'), none, 'required', 'consent'],
    [by('required'), none, 'implied', 'consent'],
    [by('required'), none, undefined, 'consent'],
    [by('required'), none, 'denied', 'consent'],
    [by('implied'), none, 'implied', null],
    [by('implied'), none, 'denied', 'consent'],
    [by('implied'), gpc, 'implied', 'gpc'],
    [by('implied'), gpc, 'granted', null],
    [by('implied', false), gpc, 'implied', null],
    [by('cookieless'), gpc, 'cookieless', null],
    [by('cookieless'), none, 'denied', 'consent'],
    [{ ...by('implied'), paused: true }, none, 'granted', 'paused'],
    [by('implied'), { isMachine: true, gpc: false }, 'granted', 'bot'],
  ] as const)
    assert.equal(dropReason(tracker, signs, consent), reason, JSON.stringify([tracker, signs, consent]))
})
