/** The delivery reports of mail systems, as each writes them, with what has to be read in them. */

import type { Report } from './pack-report.ts'

export type DeliveryExpected = {
  recipient: string | null
  action: string
  /** The class of the reply (platform/mail/classify-reply.ts). */
  kind: string
  code: number
  enhanced: string | null
}

export type System = Report & { name: string; expected: DeliveryExpected[] }

const one = (kind: string, code: number, enhanced: string, action = 'failed', recipient = 'ada@example.com') => [
  { recipient, action, kind, code, enhanced },
]

/** A report like most: one recipient, who failed, with a status that says the same as the diagnostic. */
function ordinary(name: string, expected: DeliveryExpected[], diagnostic: string): System {
  const status = `Reporting-MTA: dns; mx.relay.example

Final-Recipient: rfc822; ada@example.com
Action: failed
Status: ${expected[0]!.enhanced}
Diagnostic-Code: ${diagnostic}`
  return { name, status, expected }
}

export const SYSTEMS: readonly System[] = [
  {
    name: 'Postfix',
    status: `Reporting-MTA: dns; mx.relay.example
X-Postfix-Queue-ID: 4B2C1100
X-Postfix-Sender: rfc822; news@shop.example
Arrival-Date: Sat, 21 Nov 2026 08:00:00 +0000 (UTC)

Final-Recipient: rfc822; ada@example.com
Original-Recipient: rfc822;ada@example.com
Action: failed
Status: 5.1.1
Remote-MTA: dns; mx.example.com
Diagnostic-Code: smtp; 550 5.1.1 <ada@example.com>: Recipient address rejected:
    User unknown in virtual mailbox table`,
    expected: one('address', 550, '5.1.1'),
  },
  ordinary('Postfix, local user', one('address', 550, '5.1.1'), 'X-Postfix; unknown user: "ada"'),
  ordinary(
    'Postfix, expired',
    one('transient', 450, '4.4.1'),
    'X-Postfix; connect to mx.example.com[192.0.2.1]:25: Connection timed out',
  ),
  {
    name: 'Postfix, delayed',
    subject: 'Delayed Mail (still being retried)',
    status: `Reporting-MTA: dns; mx.relay.example

Final-Recipient: rfc822; ada@example.com
Action: delayed
Status: 4.2.2
Remote-MTA: dns; mx.example.com
Diagnostic-Code: smtp; 452 4.2.2 Mailbox full
Will-Retry-Until: Thu, 26 Nov 2026 08:00:00 +0000 (UTC)`,
    expected: one('transient', 452, '4.2.2', 'delayed'),
  },
  {
    name: 'Exim',
    from: 'Mail Delivery System <Mailer-Daemon@mx.relay.example>',
    subject: 'Mail delivery failed: returning message to sender',
    status: `Reporting-MTA: dns; mx.relay.example

Action: failed
Final-Recipient: rfc822;ada@example.com
Status: 5.0.0
Remote-MTA: dns; mx.example.com
Diagnostic-Code: smtp; 550 No such user here`,
    expected: one('address', 550, '5.0.0'),
  },
  {
    name: 'Exim, spam',
    status: `Reporting-MTA: dns; mx.relay.example

Action: failed
Final-Recipient: rfc822;ada@example.com
Status: 5.0.0
Remote-MTA: dns; mx.example.com
Diagnostic-Code: smtp; 554 5.7.1 Message rejected: listed by a blocklist, user unknown to us`,
    expected: one('policy', 554, '5.7.1'),
  },
  {
    name: 'Sendmail',
    status: `Reporting-MTA: dns; relay.example
Received-From-MTA: DNS; app.example
Arrival-Date: Sat, 21 Nov 2026 08:00:00 GMT

Final-Recipient: RFC822; ada@example.com
Action: failed
Status: 5.1.1
Remote-MTA: DNS; mx.example.com
Diagnostic-Code: SMTP; 550 5.1.1 <ada@example.com>... User unknown
Last-Attempt-Date: Sat, 21 Nov 2026 08:00:01 GMT`,
    expected: one('address', 550, '5.1.1'),
  },
  {
    name: 'Sendmail, host unknown',
    status: `Reporting-MTA: dns; relay.example

Final-Recipient: RFC822; ada@example.com
Action: failed
Status: 5.1.2
Remote-MTA: DNS; example.com
Last-Attempt-Date: Sat, 21 Nov 2026 08:00:01 GMT`,
    expected: one('address', 550, '5.1.2'),
  },
  {
    name: 'Exchange Online',
    from: 'Microsoft Outlook <MicrosoftExchange329e71ec88ae4615bbc36ab6ce41109e@tenant.example>',
    subject: 'Undeliverable: Spring',
    status: `Reporting-MTA: dns;AM0PR01.prod.exchangelabs.example
Received-From-MTA: dns;relay.example
Arrival-Date: Sat, 21 Nov 2026 08:00:00 +0000

Original-Recipient: rfc822;ada@example.com
Final-Recipient: rfc822;ada@example.com
Action: failed
Status: 5.1.10
Diagnostic-Code: smtp;550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient ada@example.com not found by SMTP address lookup`,
    expected: one('address', 550, '5.1.10'),
  },
  {
    name: 'Exchange, over quota',
    status: `Reporting-MTA: dns;mail.example

Final-Recipient: RFC822;ada@example.com
Action: failed
Status: 5.2.2
Diagnostic-Code: smtp;554 5.2.2 mailbox full; STOREDRV.Deliver.Exception:QuotaExceededException`,
    expected: one('mailbox_full', 554, '5.2.2'),
  },
  {
    name: 'Exchange 2003, no diagnostic',
    status: `Reporting-MTA: dns;mail.example

Final-Recipient: RFC822;ada@example.com
Action: failed
Status: 5.1.1
X-Display-Name: ada`,
    expected: one('address', 550, '5.1.1'),
  },
  {
    name: 'Gmail',
    from: 'Mail Delivery Subsystem <mailer-daemon@googlemail.com>',
    subject: 'Delivery Status Notification (Failure)',
    status: `Reporting-MTA: dns; googlemail.com
Arrival-Date: Sat, 21 Nov 2026 00:00:00 -0800 (PST)
X-Original-Message-ID: <x@shop.example>

Final-Recipient: rfc822; ada@example.com
Action: failed
Status: 5.1.1
Remote-MTA: dns; gmail-smtp-in.l.google.com. (192.0.2.27, the server for the
 domain example.com.)
Diagnostic-Code: smtp; 550-5.1.1 The email account that you tried to reach does not exist. Please try
 550-5.1.1 double-checking the recipient's email address for typos or
 550-5.1.1 unnecessary spaces. For more information, go to
 550 5.1.1  https://support.google.com/mail/?p=NoSuchUser ffacd0b85a97d - gsmtp
Last-Attempt-Date: Sat, 21 Nov 2026 00:00:01 -0800 (PST)`,
    expected: one('address', 550, '5.1.1'),
  },
  {
    name: 'Gmail, inactive',
    status: `Reporting-MTA: dns; googlemail.com

Final-Recipient: rfc822; ada@example.com
Action: failed
Status: 5.2.1
Diagnostic-Code: smtp; 550-5.2.1 The email account that you tried to reach is inactive. For more
 550-5.2.1 information, go to
 550 5.2.1  https://support.google.com/mail/?p=DisabledUser x - gsmtp`,
    expected: one('address_later', 550, '5.2.1'),
  },
  ordinary(
    'Gmail, unauthenticated',
    one('policy', 550, '5.7.26'),
    `smtp; 550-5.7.26 This mail has been blocked because the sender is unauthenticated.
 550-5.7.26 Gmail requires all senders to authenticate with either SPF or DKIM.
 550 5.7.26 x - gsmtp`,
  ),
  {
    name: 'Yahoo',
    from: 'MAILER-DAEMON@yahoo.example',
    status: `Reporting-MTA: dns; mx.yahoo.example

Final-Recipient: rfc822;ada@example.com
Action: failed
Status: 5.0.0
Diagnostic-Code: smtp; 554 delivery error: dd This user doesn't have a yahoo.com account (ada@example.com) [0] - mta1234`,
    expected: one('address', 554, '5.0.0'),
  },
  {
    name: 'Amazon SES',
    from: 'MAILER-DAEMON@eu-west-1.amazonses.com',
    status: `Reporting-MTA: dns; a1-2.smtp-out.eu-west-1.amazonses.com

Action: failed
Final-Recipient: rfc822; ada@example.com
Diagnostic-Code: smtp; 550 5.1.1 user unknown
Status: 5.1.1`,
    expected: one('address', 550, '5.1.1'),
  },
  {
    name: 'PowerMTA, groups not separated',
    status: `Reporting-MTA: dns;pmta.example
Arrival-Date: Sat, 21 Nov 2026 08:00:00 +0000
Final-Recipient: rfc822;ada@example.com
Action: failed
Status: 5.1.1 (bad destination mailbox address)
Remote-MTA: dns;mx.example.com (192.0.2.9)
Diagnostic-Code: smtp;550 5.1.1 unknown or illegal alias: ada@example.com
X-PowerMTA-BounceCategory: bad-mailbox`,
    expected: one('address', 550, '5.1.1'),
  },
  {
    name: 'Courier',
    status: `Reporting-MTA: dns; courier.example
Arrival-Date: Sat, 21 Nov 2026 08:00:00 +0000
Received-From-MTA: dns; relay.example

Final-Recipient: rfc822; ada@example.com
Action: failed
Status: 5.0.0
Diagnostic-Code: smtp; 550 User unknown.`,
    expected: one('address', 550, '5.0.0'),
  },
  {
    name: 'KumoMTA, two recipients, obsolete date',
    status: `Reporting-MTA: dns; kumo.example
Arrival-Date: Tuesday, 01-Jul-26 00:00:00 GMT

Final-Recipient: rfc822;ada@example.com
Action: failed
Status: 5.1.1
Diagnostic-Code: smtp;550 5.1.1 no such mailbox

Final-Recipient: rfc822;other@example.com
Action: delayed
Status: 4.4.7
Diagnostic-Code: smtp;451 4.4.7 message still undelivered`,
    expected: [...one('address', 550, '5.1.1'), ...one('transient', 451, '4.4.7', 'delayed', 'other@example.com')],
  },
  {
    name: 'Lotus Domino, fields of any case',
    status: `reporting-mta: dns;domino.example

FINAL-RECIPIENT: rfc822;ADA@Example.COM
ACTION: Failed
STATUS: 5.1.1
DIAGNOSTIC-CODE: X-Notes; User ada (ada@example.com) not listed in Domino Directory`,
    expected: one('address', 550, '5.1.1'),
  },
  {
    name: 'Proofpoint, codes the other way round',
    status: `Reporting-MTA: dns; pp.example

Final-Recipient: rfc822; <ada@example.com>
Action: failed (delivery given up)
Status: 5.0.0
Diagnostic-Code: smtp; 5.1.1 550 Invalid Recipient - https://www.mimecast.example/`,
    expected: one('address', 550, '5.1.1'),
  },
  ordinary('null MX', one('address', 556, '5.1.10'), 'smtp; 556 5.1.10 Recipient address has null MX'),
  ordinary('too large', one('content', 552, '5.3.4'), 'smtp; 552 5.3.4 Message size exceeds fixed limit'),
  {
    name: 'delivered and relayed, as asked for',
    subject: 'Successful Mail Delivery Report',
    status: `Reporting-MTA: dns; relay.example

Final-Recipient: rfc822; ada@example.com
Action: relayed
Status: 2.0.0
Diagnostic-Code: smtp; 250 2.0.0 Ok: queued as 4B2C1100`,
    expected: one('accepted', 250, '2.0.0', 'relayed'),
  },
  {
    name: 'RFC 6533, with an address beyond ASCII',
    status: `Reporting-MTA: dns; relay.example

Final-Recipient: utf-8; j\\x{f6}rg@example.com
Original-Recipient: utf-8; j\\x{f6}rg@example.com
Action: failed
Status: 5.1.1
Diagnostic-Code: smtp; 550 5.1.1 unknown user`,
    expected: one('address', 550, '5.1.1', 'failed', 'jörg@example.com'),
  },
]
