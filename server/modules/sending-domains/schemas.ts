import { type Static, Type } from 'typebox'
import { answer, closed, Id, nullable, oneOf, Timestamp } from '../../platform/schema/schemas.ts'
import { RECORD_STATES } from './judgement.ts'

const DnsRecord = answer('DnsRecord', {
  type: Type.String({ examples: ['TXT'] }),
  host: Type.String({ description: 'Full name to publish it at.', examples: ['_dmarc.example.com'] }),
  value: Type.String({ examples: ['v=DMARC1; p=none; rua=mailto:dmarc-reports@example.com'] }),
})

const fields = {
  domain: Type.String({
    maxLength: 1_000,
    description: 'Stored in lower case and ASCII (IDNA), without a final dot.',
    examples: ['example.com'],
  }),
  dkimSelector: Type.String({
    maxLength: 1_000,
    description: 'DNS labels joined by dots: the name of the DKIM key.',
    examples: ['postroom'],
  }),
}

/** Interface specification, Sending domain. */
export const SendingDomain = answer('SendingDomain', {
  id: Id,
  domain: Type.String({ examples: ['example.com'] }),
  dkimSelector: Type.String({ examples: ['postroom'] }),
  verified: Type.Boolean({
    description: 'Whether the last definite DKIM check found the key. Never set by the caller.',
  }),
  dkimRecord: DnsRecord,
  spfRecord: DnsRecord,
  dmarcRecord: DnsRecord,
  lastCheckedAt: nullable(Timestamp),
  verifiedAt: nullable(Timestamp),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type SendingDomain = Static<typeof SendingDomain>

export const DomainBody = closed(
  'SendingDomainBody',
  {
    domain: fields.domain,
    dkimSelector: Type.Optional(fields.dkimSelector),
  },
  { examples: [{ domain: 'news.example.com' }] },
)
export type DomainBody = Static<typeof DomainBody>

export const DomainChange = closed(
  'SendingDomainChange',
  { dkimSelector: Type.Optional(fields.dkimSelector) },
  { examples: [{ dkimSelector: 'spring' }] },
)
export type DomainChange = Static<typeof DomainChange>

const check = {
  state: oneOf(RECORD_STATES, {
    description:
      'missing and wrong are definite; unknown: not checked yet, or the name servers gave no answer, and nothing follows.',
  }),
  found: Type.Array(Type.String(), { description: 'The records of this kind that were found.' }),
  detail: Type.String({ description: 'The step to take, in plain words.', examples: ['The key is published.'] }),
  checkedAt: nullable(Timestamp),
}

const RecordCheck = answer('DnsRecordCheck', { record: DnsRecord, ...check })

const RelayCheck = answer('RelayCheck', {
  host: Type.String({ description: 'The server of the default integration.', examples: ['mail.example.net'] }),
  domain: Type.String({
    description: 'The domain of return paths, whose SPF record decides.',
    examples: ['example.com'],
  }),
  ...check,
  found: Type.Array(Type.String(), { description: 'The public addresses of the server.' }),
})

const ReturnPathCheck = answer('ReturnPathCheck', {
  domain: Type.String({
    description: 'The domain of this installation’s return paths.',
    examples: ['bounces.example.com'],
  }),
  mx: answer('MxCheck', {
    ...check,
    found: Type.Array(Type.String(), { description: 'Its mail servers, the preferred first.' }),
  }),
  spf: answer('ReturnPathSpfCheck', check),
})

const KeyCheck = answer('DkimKeyCheck', {
  selector: Type.String({ examples: ['postroom2'] }),
  role: oneOf(['current', 'next', 'retiring'], {
    description: 'next takes over once it is verified; retiring was current: keep its record until retiresAt.',
  }),
  verified: Type.Boolean(),
  signing: Type.Boolean({ description: 'Whether mail is signed with this key now.' }),
  retiresAt: nullable(Timestamp),
  record: DnsRecord,
  ...check,
})

export const DomainChecks = answer('SendingDomainChecks', {
  domain: Type.String({ examples: ['example.com'] }),
  dkim: Type.Array(KeyCheck, { description: 'Every key of the domain: the current one first.' }),
  spf: RecordCheck,
  dmarc: RecordCheck,
  relay: nullable(RelayCheck),
  returnPath: nullable(ReturnPathCheck),
})
export type DomainChecks = Static<typeof DomainChecks>

const Rate = answer('Rate', {
  numerator: Type.Integer({ examples: [3] }),
  denominator: Type.Integer({
    description: 'Messages that were accepted in the window; of bounces those that were refused at once as well.',
    examples: [12000],
  }),
  rate: nullable(Type.Number({ description: '0 to 1; null where nothing was sent.', examples: [0.00025] })),
})

export const DomainRates = answer('SendingDomainRates', {
  sendingDomainId: Id,
  domain: Type.String({ examples: ['example.com'] }),
  windowDays: Type.Integer({ examples: [30] }),
  complaintRate: Rate,
  bounceRate: Rate,
})
export type DomainRates = Static<typeof DomainRates>
