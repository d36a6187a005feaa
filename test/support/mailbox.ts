import { eventually } from './eventually.ts'
import type { SmtpPeer } from './smtp-peer.ts'

/** A mail as its receiver reads it. */
export type ReceivedMail = { to: string; subject: string; messageId: string; text: string; raw: string }

/** Mails that a mail server of the tests has taken, read as text. */
export function mailsOf(peer: SmtpPeer): ReceivedMail[] {
  return peer.messages.map((raw) => {
    const header = (name: string) => new RegExp(`^${name}: (.*(?:\r\n[ \t].*)*)`, 'im').exec(raw)?.[1] ?? ''
    const text = /Content-Type: text\/plain.*?\r\n\r\n(.*?)\r\n--/s.exec(raw)?.[1] ?? ''
    return {
      to: header('To'),
      subject: header('Subject'),
      messageId: header('Message-ID'),
      // Quoted-printable: soft line ends and encoded bytes of ASCII.
      text: text
        .replaceAll('=\r\n', '')
        .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
      raw,
    }
  })
}

export type Link = {
  to: string
  /** Of the dashboard. */
  page: string
  /** Messages the server had taken before the one that is waited for. */
  seen?: number
}

/** The secret in the latest link to a page that an address was sent. */
export async function linkSecret(peer: SmtpPeer, { to, page, seen = 0 }: Link): Promise<string> {
  const latest = () => {
    const pattern = new RegExp(`/app/${page}#([\\w-]{43})(?![\\w-])`)
    return mailsOf(peer)
      .slice(seen)
      .findLast((mail) => mail.to === to && pattern.test(mail.text))
      ?.text.match(pattern)?.[1]
  }
  await eventually(`a mail to ${to}`, () => latest() !== undefined)
  return latest() as string
}
