/** How a mail system packs a report into a mail: an explanation, what machines read, and the message it is about. */

export type ReportParts = { to: string; original: string }

export type Report = {
  /**
   * The part that machines read: the groups of message/delivery-status or the fields of message/feedback-report, joined
   * by LF.
   */
  status: string
  from?: string
  subject?: string
}

const EXPLANATION = `This is the mail system at host mx.relay.example.

I'm sorry to have to inform you that your message could not
be delivered to one or more recipients.
Final-Recipient: rfc822; nobody@in-the-text.example
`

const lines = (...parts: (string | false)[]) => parts.filter((part) => part !== false).join('\n')

function head({ from, subject }: Report, to: string, type: string): string {
  return lines(
    'Return-Path: <>',
    `From: ${from ?? 'MAILER-DAEMON@mx.relay.example (Mail Delivery System)'}`,
    `To: ${to}`,
    `Subject: ${subject ?? 'Undelivered Mail Returned to Sender'}`,
    'Date: Sat, 21 Nov 2026 08:00:00 +0000',
    'Auto-Submitted: auto-replied',
    'MIME-Version: 1.0',
    `Content-Type: ${type}`,
  )
}

export type Shape = {
  boundary?: string
  type?: (boundary: string) => string
  statusHead?: string[]
  status?: (text: string) => string
  originalHead?: string[] | null
  original?: (text: string) => string
  preamble?: string
}

/** Writes a report as a system does whose mails have this shape; what it leaves out is as Postfix has it. */
export function packed(shape: Shape) {
  const boundary = shape.boundary ?? '4B2C1100.1795248800/mx.relay.example'
  const type =
    shape.type ?? ((value: string) => `multipart/report; report-type=delivery-status;\n\tboundary="${value}"`)
  const statusHead = shape.statusHead ?? [
    'Content-Description: Delivery report',
    'Content-Type: message/delivery-status',
  ]
  const originalHead = shape.originalHead === undefined ? ['Content-Type: message/rfc822'] : shape.originalHead
  return (report: Report, { to, original }: ReportParts) =>
    lines(
      head(report, to, type(boundary)),
      '',
      shape.preamble ?? 'This is a MIME-encapsulated message.',
      '',
      `--${boundary}`,
      'Content-Type: text/plain; charset=us-ascii',
      '',
      EXPLANATION,
      `--${boundary}`,
      ...statusHead,
      '',
      (shape.status ?? ((text) => text))(report.status),
      '',
      ...(originalHead === null
        ? []
        : [`--${boundary}`, ...originalHead, '', (shape.original ?? ((text) => text))(original)]),
      `--${boundary}--`,
      '',
    )
}

export const headerOf = (text: string) => text.split('\n\n')[0]!
export const base64 = (text: string) => Buffer.from(text).toString('base64').replace(/.{76}/g, '$&\n')
