/** Mail that comes back, as mail systems write it: delivery reports and complaints with what has to be read in them. */

export type DeliveryVariant = {
  name: string
  bytes: Buffer
  expected: { recipient: string | null; action: string; kind: string; code: number; enhanced: string | null }[]
}

export type FeedbackVariant = {
  name: string
  bytes: Buffer
  expected: { type: string; mailFrom: string | null; recipients: string[] }
}

export type ReportParts = { to: string; original: string }

type System = {
  name: string
  /** The groups of message/delivery-status, lines joined by LF. */
  status: string
  expected: DeliveryVariant['expected']
  from?: string
  subject?: string
}

const one = (kind: string, code: number, enhanced: string | null, action = 'failed', recipient = 'ada@example.com') => [
  { recipient, action, kind, code, enhanced },
]

/** `kind` is the class of the reply (platform/mail/classify-reply.ts). */
const SYSTEMS: readonly System[] = [
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
  {
    name: 'Postfix, local user',
    status: `Reporting-MTA: dns; mx.relay.example

Final-Recipient: rfc822; ada@example.com
Action: failed
Status: 5.1.1
Diagnostic-Code: X-Postfix; unknown user: "ada"`,
    expected: one('address', 550, '5.1.1'),
  },
  {
    name: 'Postfix, expired',
    status: `Reporting-MTA: dns; mx.relay.example

Final-Recipient: rfc822; ada@example.com
Action: failed
Status: 4.4.1
Diagnostic-Code: X-Postfix; connect to mx.example.com[192.0.2.1]:25: Connection timed out`,
    expected: one('transient', 450, '4.4.1'),
  },
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
  {
    name: 'Gmail, unauthenticated',
    status: `Reporting-MTA: dns; relay.example

Final-Recipient: rfc822; ada@example.com
Action: failed
Status: 5.7.26
Diagnostic-Code: smtp; 550-5.7.26 This mail has been blocked because the sender is unauthenticated.
 550-5.7.26 Gmail requires all senders to authenticate with either SPF or DKIM.
 550 5.7.26 x - gsmtp`,
    expected: one('policy', 550, '5.7.26'),
  },
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
  {
    name: 'null MX',
    status: `Reporting-MTA: dns; relay.example

Final-Recipient: rfc822; ada@example.com
Action: failed
Status: 5.1.10
Diagnostic-Code: smtp; 556 5.1.10 Recipient address has null MX`,
    expected: one('address', 556, '5.1.10'),
  },
  {
    name: 'too large',
    status: `Reporting-MTA: dns; relay.example

Final-Recipient: rfc822; ada@example.com
Action: failed
Status: 5.3.4
Diagnostic-Code: smtp; 552 5.3.4 Message size exceeds fixed limit`,
    expected: one('content', 552, '5.3.4'),
  },
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

const EXPLANATION = `This is the mail system at host mx.relay.example.

I'm sorry to have to inform you that your message could not
be delivered to one or more recipients.
Final-Recipient: rfc822; nobody@in-the-text.example
`

type Packing = { name: string; pack(system: System, parts: ReportParts): string }

const lines = (...parts: (string | false)[]) => parts.filter((part) => part !== false).join('\n')

function head({ from, subject }: System, to: string, type: string): string {
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

type Shape = {
  boundary?: string
  type?: (boundary: string) => string
  statusHead?: string[]
  status?: (text: string) => string
  originalHead?: string[] | null
  original?: (text: string) => string
  preamble?: string
}

function packed(shape: Shape) {
  const boundary = shape.boundary ?? '4B2C1100.1795248800/mx.relay.example'
  const type =
    shape.type ?? ((value: string) => `multipart/report; report-type=delivery-status;\n\tboundary="${value}"`)
  const statusHead = shape.statusHead ?? [
    'Content-Description: Delivery report',
    'Content-Type: message/delivery-status',
  ]
  const originalHead = shape.originalHead === undefined ? ['Content-Type: message/rfc822'] : shape.originalHead
  return (system: System, { to, original }: ReportParts) =>
    lines(
      head(system, to, type(boundary)),
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
      (shape.status ?? ((text) => text))(system.status),
      '',
      ...(originalHead === null
        ? []
        : [`--${boundary}`, ...originalHead, '', (shape.original ?? ((text) => text))(original)]),
      `--${boundary}--`,
      '',
    )
}

const headerOf = (text: string) => text.split('\n\n')[0]!
const base64 = (text: string) => Buffer.from(text).toString('base64').replace(/.{76}/g, '$&\n')

const PACKINGS: readonly Packing[] = [
  { name: 'as most do', pack: packed({}) },
  { name: 'with CRLF', pack: (system, parts) => packed({})(system, parts).replaceAll('\n', '\r\n') },
  {
    name: 'with the header alone',
    pack: packed({ originalHead: ['Content-Type: text/rfc822-headers'], original: headerOf }),
  },
  { name: 'without the message', pack: packed({ originalHead: null }) },
  {
    name: 'in base64',
    pack: packed({
      statusHead: ['Content-Type: message/delivery-status', 'Content-Transfer-Encoding: base64'],
      status: base64,
    }),
  },
  {
    name: 'as RFC 6533',
    pack: packed({
      type: (boundary) => `MULTIPART/Report; boundary=${boundary}; Report-Type="Delivery-Status"`,
      boundary: 'plain_boundary',
      statusHead: ['Content-Type: message/global-delivery-status; charset=utf-8', 'Content-Transfer-Encoding: 8bit'],
      originalHead: ['Content-Type: message/global-headers'],
      original: headerOf,
    }),
  },
  {
    name: 'with empty lines, folded everywhere',
    pack: packed({ status: (text) => `\n\n${text.replace(/^([\w-]+): (?=\S)/gm, '$1:\n  ')}\n\n\n`, preamble: '' }),
  },
  {
    name: 'without a report-type, quoted-printable',
    pack: packed({
      type: (boundary) => `multipart/report;\n boundary="${boundary}"`,
      statusHead: [
        'Content-Type: message/delivery-status; name="status.dsn"',
        'Content-Transfer-Encoding: quoted-printable',
      ],
      status: (text) => text.replaceAll('=', '=3D').replaceAll(';', '=3B'),
    }),
  },
]

/** Every system's report in every packing: 200. */
export function deliveryVariants(parts: ReportParts): DeliveryVariant[] {
  return SYSTEMS.flatMap((system) =>
    PACKINGS.map(({ name, pack }) => ({
      name: `${system.name}, ${name}`,
      bytes: Buffer.from(pack(system, parts)),
      expected: system.expected,
    })),
  )
}

/** One report of a system, for whom `recipient` is unknown. */
export function deliveryReport(
  parts: ReportParts,
  { recipient, status }: { recipient: string; status?: string },
): Buffer {
  const [postfix] = SYSTEMS
  const text = (status ?? postfix!.status).replaceAll('ada@example.com', recipient)
  return Buffer.from(packed({})({ ...postfix!, status: text }, parts))
}

type Provider = { name: string; report: string; expected: FeedbackVariant['expected'] }

const complaint = (type: string, mailFrom: string | null, ...recipients: string[]) => ({ type, mailFrom, recipients })

const PROVIDERS: readonly Provider[] = [
  {
    name: 'RFC 5965',
    report:
      'Feedback-Type: abuse\nUser-Agent: SomeGenerator/1.0\nVersion: 1\nOriginal-Mail-From: <news@shop.example>\nOriginal-Rcpt-To: <ada@example.com>\nReceived-Date: Sat, 21 Nov 2026 14:00:00 EST\nSource-IP: 192.0.2.1',
    expected: complaint('abuse', 'news@shop.example', 'ada@example.com'),
  },
  {
    name: 'Yahoo',
    report:
      'Feedback-Type: abuse\nUser-Agent: Yahoo!-Mail-Feedback/1.0\nVersion: 0.1\nOriginal-Mail-From: <news@shop.example>\nOriginal-Rcpt-To: ada@example.com\nReceived-Date: Sat, 21 Nov 2026 08:00:00 PST\nReported-Domain: shop.example\nAuthentication-Results: mta1.example; dkim=pass',
    expected: complaint('abuse', 'news@shop.example', 'ada@example.com'),
  },
  {
    name: 'Comcast, everybody hidden',
    report:
      'Feedback-Type: abuse\nUser-Agent: ReturnPathFBL/1.0\nVersion: 1\nOriginal-Mail-From: news@shop.example\nOriginal-Rcpt-To: 0d3fd5d0a1@\nSource-IP: x.x.x.x\nReceived-Date: Sat, 21 Nov 2026 08:00:00 +0000',
    expected: complaint('abuse', 'news@shop.example'),
  },
  {
    name: 'Microsoft',
    report:
      'Feedback-Type: abuse\nUser-Agent: CustomerProcess/1.0\nVersion: 0.1\nOriginal-Mail-From: <news@shop.example>\nOriginal-Rcpt-To: <ada@example.com>\nSource-IP: 192.0.2.4\nArrival-Date: Sat, 21 Nov 2026 08:00:00 GMT',
    expected: complaint('abuse', 'news@shop.example', 'ada@example.com'),
  },
  {
    name: 'AOL, old',
    report:
      'Feedback-Type: abuse\nUser-Agent: AOL SComp\nVersion: 0.1\nReceived-Date: Sat, 21 Nov 2026 08:00:00 EDT\nSource-IP: 192.0.2.5\nReported-Domain: shop.example\nRedacted-Address: redacted\nRedacted-Address: redacted@',
    expected: complaint('abuse', null),
  },
  {
    name: 'not spam after all',
    report: 'Feedback-Type: not-spam\nUser-Agent: Feedback/2.0\nVersion: 1\nOriginal-Rcpt-To: ada@example.com',
    expected: complaint('not-spam', null, 'ada@example.com'),
  },
  {
    name: 'DMARC failure',
    report:
      'Feedback-Type: auth-failure\nUser-Agent: opendmarc/1.4\nVersion: 1\nAuth-Failure: dmarc\nOriginal-Envelope-Id: x\nOriginal-Mail-From: news@shop.example',
    expected: complaint('auth-failure', 'news@shop.example'),
  },
  {
    name: 'opt-out',
    report: 'FEEDBACK-TYPE: Opt-Out\nUSER-AGENT: X\nVERSION: 1\nRemoval-Recipient: ada@example.com',
    expected: complaint('opt-out', null, 'ada@example.com'),
  },
  {
    name: 'two recipients, folded',
    report:
      'Feedback-Type:\n abuse\nUser-Agent: X\nVersion: 1\nOriginal-Rcpt-To:\n <ada@example.com>\nOriginal-Rcpt-To: bob@example.com (Bob)',
    expected: complaint('abuse', null, 'ada@example.com', 'bob@example.com'),
  },
  {
    name: 'fraud',
    report: 'Feedback-Type: fraud\nUser-Agent: X\nVersion: 1\nReported-URI: https://shop.example/',
    expected: complaint('fraud', null),
  },
]

const FEEDBACK_SYSTEM: System = {
  name: 'feedback',
  status: '',
  expected: [],
  from: 'fbl@provider.example',
  subject: 'FW: Spring',
}

const feedbackType = (boundary: string) => `multipart/report; report-type=feedback-report;\n boundary="${boundary}"`
const feedbackHead = ['Content-Disposition: inline', 'Content-Type: message/feedback-report']

function feedbackPackings(report: string): { name: string; pack(parts: ReportParts): string }[] {
  const as = (shape: Shape) => (parts: ReportParts) =>
    packed({ type: feedbackType, statusHead: feedbackHead, ...shape })({ ...FEEDBACK_SYSTEM, status: report }, parts)
  const inline = { originalHead: ['Content-Type: message/rfc822', 'Content-Disposition: inline'] }
  return [
    { name: 'as most do', pack: as(inline) },
    { name: 'with CRLF', pack: (parts) => as(inline)(parts).replaceAll('\n', '\r\n') },
    {
      name: 'with the header alone',
      pack: as({ originalHead: ['Content-Type: text/rfc822-headers'], original: headerOf }),
    },
    {
      name: 'in base64',
      pack: as({
        statusHead: ['Content-Type: message/feedback-report', 'Content-Transfer-Encoding: base64'],
        status: base64,
      }),
    },
    { name: 'unquoted boundary', pack: as({ boundary: 'AB_12', type: (b) => `multipart/report; boundary=${b}` }) },
  ]
}

/** Every provider's complaint in every packing: 50. */
export function feedbackVariants(parts: ReportParts): FeedbackVariant[] {
  return PROVIDERS.flatMap(({ name, report, expected }) =>
    feedbackPackings(report).map((packing) => ({
      name: `${name}, ${packing.name}`,
      bytes: Buffer.from(packing.pack(parts)),
      expected,
    })),
  )
}

/** One complaint, about a message whose header is `original`. */
export function feedbackReport(parts: ReportParts, report = PROVIDERS[2]!.report): Buffer {
  return Buffer.from(feedbackPackings(report)[0]!.pack(parts))
}
