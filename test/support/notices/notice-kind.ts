/**
 * Reports of mail systems in other forms than RFC 3464, as each writes them: OpenSMTPD's by its source (bounce.c), the
 * others' by notices that they have sent.
 */

export const REFUSALS = {
  unknown: '550 5.1.1 <ada@example.com>: Recipient address rejected: User unknown',
  full: '552 5.2.2 <ada@example.com> Mailbox full',
  blocked: '554 5.7.1 Service unavailable; client [192.0.2.7] blocked using bl.receiver.example',
  large: '552 5.3.4 Message size exceeds fixed limit',
  closed: '550 5.2.1 The email account that you tried to reach is disabled',
} as const
export type Refusal = keyof typeof REFUSALS

export type NoticePart = { type: string; text: string }
export type NoticeKind = {
  name: string
  from: string
  subject: string
  header?: readonly string[]
  /** Its own words for a refusal, where it does not pass on those of the server. */
  words?: Readonly<Record<Refusal, string>>
  /** It names its recipient where one can be read; otherwise that is known from the return path alone. */
  names: boolean
  /** One part is the mail's text itself, several are of a multipart of `multipart` (`mixed`). */
  parts(refusal: string, original: string): NoticePart[]
  multipart?: string
}

export const TO = 'ada@example.com'
export const text = (body: string, type = 'text/plain; charset=us-ascii'): NoticePart => ({ type, text: body })
export const utf8 = (body: string): NoticePart => text(body, 'text/plain; charset=utf-8')
export const returned = (original: string): NoticePart => ({ type: 'message/rfc822', text: original })
export const headerOf = (original: string) => original.split('\n\n', 1)[0]!
