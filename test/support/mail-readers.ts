import { send } from './http-client.ts'
import type { SmtpPeer } from './smtp-peer.ts'
import type { KilledInstance } from './tested-instance.ts'

/** Headers of somebody who reads mail in a browser, and of a proxy that fetches pictures whether anybody reads or not. */
export const PERSON: Record<string, string> = {
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
  accept: 'text/html,application/xhtml+xml',
  'accept-language': 'en',
  'sec-fetch-mode': 'navigate',
}
export const PROXY: Record<string, string> = { 'user-agent': 'Mozilla/5.0', accept: '*/*' }

type Followed = { kind: 'o' | 'c' | 'u'; by: Record<string, string>; method?: 'GET' | 'POST'; subject?: string }

/** Readers of the mail that a peer got from an instance, which trusts what loopback says of where a request comes from. */
export function mailReaders(instance: () => Pick<KilledInstance, 'baseUrl' | 'sql'>, relay: () => SmtpPeer) {
  let callers = 0
  return {
    /** Mail that has come long ago, so that nobody's look at it is taken for one on arrival. */
    laterOn: () => instance().sql(`update messages set settled_at = settled_at - interval '1 hour'`),
    /** Asks for the picture, the first link or the way out of the last mail to an address, or of the last of a subject, each time from a network of its own. */
    async follow(address: string, { kind, by, method = 'GET', subject = '' }: Followed): Promise<void> {
      const isIt = (message: string) => message.includes(`To: ${address}`) && message.includes(`Subject: ${subject}`)
      const mail = relay().messages.findLast(isIt) ?? ''
      const [, link] = new RegExp(`http://[^">]+(/e/${kind}/[\\w-]+)`).exec(mail.replaceAll('=\r\n', '')) ?? []
      if (link === undefined) throw new Error(`no such link in the mail to ${address}`)
      callers += 1
      const headers = { ...by, 'x-forwarded-for': `203.0.113.${callers}` }
      const form = { 'content-type': 'application/x-www-form-urlencoded' }
      const posted = { headers: { ...headers, ...form }, body: 'List-Unsubscribe=One-Click' }
      await send(method, instance().baseUrl + link, method === 'POST' ? posted : { headers })
    },
  }
}
