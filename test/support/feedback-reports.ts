/** Complaints, as providers report them, with what has to be read in them. */

import { base64, headerOf, packed, type ReportParts, type Shape } from './pack-report.ts'

export type FeedbackVariant = {
  name: string
  bytes: Buffer
  expected: { type: string; mailFrom: string | null; recipients: string[] }
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

const SENDER = { from: 'fbl@provider.example', subject: 'FW: Spring' }

const feedbackType = (boundary: string) => `multipart/report; report-type=feedback-report;\n boundary="${boundary}"`
const feedbackHead = ['Content-Disposition: inline', 'Content-Type: message/feedback-report']

function feedbackPackings(report: string): { name: string; pack(parts: ReportParts): string }[] {
  const as = (shape: Shape) => (parts: ReportParts) =>
    packed({ type: feedbackType, statusHead: feedbackHead, ...shape })({ ...SENDER, status: report }, parts)
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
