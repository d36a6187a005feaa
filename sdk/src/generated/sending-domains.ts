// Written by `npm run docs` from the description of the API; `npm run check` holds it to that.
import type { GuardedOptions, Open, Options, PostOptions, Tagged } from '../call.ts'
import type { List } from '../list.ts'

export type DkimKeyCheck = {
  selector: string
  /** next takes over once it is verified; retiring was current: keep its record until retiresAt. */
  role: Open<'current' | 'next' | 'retiring'>
  verified: boolean
  /** Whether mail is signed with this key now. */
  signing: boolean
  retiresAt: string | null
  record: DnsRecord
  /** missing and wrong are definite; unknown: not checked yet, or the name servers gave no answer, and nothing follows. */
  state: Open<'ok' | 'missing' | 'wrong' | 'unknown'>
  /** The records of this kind that were found. */
  found: Array<string>
  /** The step to take, in plain words. */
  detail: string
  checkedAt: string | null
}

export type DnsRecord = {
  type: string
  /** Full name to publish it at. */
  host: string
  value: string
}

export type DnsRecordCheck = {
  record: DnsRecord
  /** missing and wrong are definite; unknown: not checked yet, or the name servers gave no answer, and nothing follows. */
  state: Open<'ok' | 'missing' | 'wrong' | 'unknown'>
  /** The records of this kind that were found. */
  found: Array<string>
  /** The step to take, in plain words. */
  detail: string
  checkedAt: string | null
}

export type MxCheck = {
  /** missing and wrong are definite; unknown: not checked yet, or the name servers gave no answer, and nothing follows. */
  state: Open<'ok' | 'missing' | 'wrong' | 'unknown'>
  /** Its mail servers, the preferred first. */
  found: Array<string>
  /** The step to take, in plain words. */
  detail: string
  checkedAt: string | null
}

export type Rate = {
  numerator: number
  /** Messages that were accepted in the window; of bounces those that were refused at once as well. */
  denominator: number
  /** 0 to 1; null where nothing was sent. */
  rate: number | null
}

export type RelayCheck = {
  /** The server of the default integration. */
  host: string
  /** The domain of return paths, whose SPF record decides. */
  domain: string
  /** missing and wrong are definite; unknown: not checked yet, or the name servers gave no answer, and nothing follows. */
  state: Open<'ok' | 'missing' | 'wrong' | 'unknown'>
  /** The public addresses of the server. */
  found: Array<string>
  /** The step to take, in plain words. */
  detail: string
  checkedAt: string | null
}

export type ReturnPathCheck = {
  /** The domain of this installation’s return paths. */
  domain: string
  mx: MxCheck
  spf: ReturnPathSpfCheck
}

export type ReturnPathSpfCheck = {
  /** missing and wrong are definite; unknown: not checked yet, or the name servers gave no answer, and nothing follows. */
  state: Open<'ok' | 'missing' | 'wrong' | 'unknown'>
  /** The records of this kind that were found. */
  found: Array<string>
  /** The step to take, in plain words. */
  detail: string
  checkedAt: string | null
}

export type SendingDomain = {
  id: string
  domain: string
  dkimSelector: string
  /** Whether the last definite DKIM check found the key. Never set by the caller. */
  verified: boolean
  dkimRecord: DnsRecord
  spfRecord: DnsRecord
  dmarcRecord: DnsRecord
  lastCheckedAt: string | null
  verifiedAt: string | null
  createdAt: string
  updatedAt: string
}

export type SendingDomainBody = {
  /** Stored in lower case and ASCII (IDNA), without a final dot. */
  domain: string
  /** DNS labels joined by dots: the name of the DKIM key. */
  dkimSelector?: string
}

export type SendingDomainChange = {
  /** DNS labels joined by dots: the name of the DKIM key. */
  dkimSelector?: string
}

export type SendingDomainChecks = {
  domain: string
  /** Every key of the domain: the current one first. */
  dkim: Array<DkimKeyCheck>
  spf: DnsRecordCheck
  dmarc: DnsRecordCheck
  relay: RelayCheck | null
  returnPath: ReturnPathCheck | null
}

export type SendingDomainPage = {
  items: Array<SendingDomain>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type SendingDomainRates = {
  sendingDomainId: string
  domain: string
  windowDays: number
  complaintRate: Rate
  bounceRate: Rate
}

export type SendingDomainRatesPage = {
  items: Array<SendingDomainRates>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export interface SendingDomainsOperations {
  /** Create a sending domain. Makes an RSA key of 2048 bits for the domain and answers the three records to publish. The domain is verified once a check finds the DKIM record. Needs the scope `sending_domains:write`. */
  create(body: SendingDomainBody, options?: PostOptions): Promise<Tagged<SendingDomain>>

  /** Delete a sending domain. With its keys. Its DNS records are then of no use. Needs the scope `sending_domains:write`. */
  delete(id: string, options?: GuardedOptions): Promise<void>

  /** Read a sending domain. `verified` and `lastCheckedAt` tell the outcome of the last DKIM check. Needs the scope `sending_domains:read`. */
  get(id: string, options?: Options): Promise<Tagged<SendingDomain>>

  /** List sending domains. Ascending by id. `totalItems` is exact. Needs the scope `sending_domains:read`. */
  list(query?: {
    /** Page number, from 1. */
    page?: number
    /** Page size. */
    pageSize?: number
    /** Only domains that contain this text. */
    search?: string
    /** Only domains that are verified, or are not. */
    verified?: boolean
  }, options?: Options): List<SendingDomainPage>

  /** Read what the last check found. DKIM for every key of the domain, SPF and DMARC: what is published, and what to do about it. Needs the scope `sending_domains:read`. */
  listChecks(id: string, options?: Options): Promise<SendingDomainChecks>

  /** List the rates of sending domains. Which share of the mail that a domain signed, and that was accepted in the window, came back or was reported as spam. Providers begin to refuse mail at 5 % and 0.1 %. Ascending by id. Needs the scope `sending_domains:read`. */
  listRates(query?: {
    /** Page number, from 1. */
    page?: number
    /** Page size. */
    pageSize?: number
    /** The days before now. */
    windowDays?: number
  }, options?: Options): List<SendingDomainRatesPage>

  /** Begin to rotate the DKIM key. Makes a key under a second selector and answers all keys with their records. Publish that of `next`: once a check finds it, it signs, and the key before stays valid for seven days. Asked again meanwhile, nothing changes. Needs the scope `sending_domains:write`. */
  rotateKey(id: string, options?: PostOptions): Promise<SendingDomainChecks>

  /** Change the selector of a sending domain. Makes a new key under the selector and shows its record; `verified` is false until a check finds it. Mail goes on being signed with the key before, as long as that is published. Needs the scope `sending_domains:write`. */
  update(id: string, body: SendingDomainChange, options?: GuardedOptions): Promise<Tagged<SendingDomain>>

  /** Check the DNS records of a sending domain. Starts a live check in the background and answers the domain as it stands. Read it again later: the outcome is in `verified` and `lastCheckedAt`. Needs the scope `sending_domains:write`. */
  verify(id: string, options?: PostOptions): Promise<SendingDomain>
}
