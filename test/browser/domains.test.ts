import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type DnsAuthority, startDnsAuthority } from '../support/dns-authority.ts'
import { SMTP_LOGIN, type SmtpPeer, startSmtpPeer } from '../support/smtp-peer.ts'
import { WITHOUT_BROWSER } from './chromium.ts'
import { openWorld, type World } from './world.ts'

const skip = WITHOUT_BROWSER

let world: World
let dns: DnsAuthority
let smtp: SmtpPeer
before(async () => {
  if (skip) return
  ;[dns, smtp] = await Promise.all([startDnsAuthority(), startSmtpPeer({ allowInsecureAuth: true })])
  world = await openWorld({ DNS_SERVERS: dns.server })
})
after(async () => {
  await world?.close()
  await Promise.all([dns?.close(), smtp?.close()])
})

test('a domain is added, its record published and found while its page stays open', { skip }, async () => {
  const { page, faults, close } = await world.open('/app/default/domains')
  await page.getByRole('button', { name: 'Add domain' }).first().click()
  await page.getByLabel('Domain', { exact: true }).fill('mail.example.test')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'mail.example.test' }).waitFor()
  const dkim = page.getByRole('region', { name: 'DKIM', exact: true })
  await dkim.getByText('postroom._domainkey.mail', { exact: true }).waitFor()

  const { json } = await world.site('GET', '/sending-domains?search=mail.example.test')
  const { host, value } = json.items[0].dkimRecord
  dns.set(host, { txt: [value.replace('p=', 'p=AAAA')] })
  await page.getByRole('button', { name: 'Check now' }).click()
  await dkim.getByText('Wrong').waitFor()
  await dkim.getByText('Found instead').waitFor()

  dns.set(host, { txt: [value] })
  await page.getByRole('button', { name: 'Check now' }).click()
  await dkim.getByText('Found', { exact: true }).waitFor()
  await page.getByText('Verified', { exact: true }).waitFor()
  assert.deepEqual(faults, [])
  await close()
})

test('an integration is tested phase by phase before it is saved, and saved it keeps its password', {
  skip,
}, async () => {
  const { page, close } = await world.open('/app/default/integrations/new')
  await page.getByLabel('Host').fill('127.0.0.1')
  await page.getByLabel('Port').fill(String(smtp.port))
  await page.getByLabel('User name').fill(SMTP_LOGIN.username)
  await page.getByLabel('Password', { exact: true }).fill('not the password')
  await page.getByLabel('Address').fill('news@mail.example.test')
  await page.getByLabel('Name', { exact: true }).fill('News')
  await page.getByLabel('Encryption').selectOption('none')
  await page.getByRole('button', { name: 'Test it' }).click()
  await page.getByText('Log in, failed here').waitFor()
  await page.getByLabel('Password', { exact: true }).fill(SMTP_LOGIN.password)
  await page.getByRole('button', { name: 'Save integration' }).click()
  await page.getByRole('heading', { level: 1, name: '127.0.0.1' }).waitFor()
  await page.getByRole('button', { name: 'Test it' }).click()
  await page.getByText('Log in, passed').waitFor()
  await page.getByLabel('At most a day').fill('5000')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('5,000 as you set it').waitFor()
  await close()
})
