import { type DeliveryExpected, SYSTEMS, type System } from './delivery-report-systems.ts'
import { base64, headerOf, packed, type ReportParts } from './pack-report.ts'

export type DeliveryVariant = { name: string; bytes: Buffer; expected: DeliveryExpected[] }

type Packing = { name: string; pack(system: System, parts: ReportParts): string }

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
