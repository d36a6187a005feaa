// Written by `npm run docs` from the routes of the server; a test holds it to them.

export type DkimKeyCheck = {
  selector: string
  /** next takes over once it is verified; retiring was current: keep its record until retiresAt. */ role: 'current' | 'next' | 'retiring'
  verified: boolean
  /** Whether mail is signed with this key now. */ signing: boolean
  retiresAt: string | null
  record: DnsRecord
  /** missing and wrong are definite; unknown: not checked yet, or the name servers gave no answer, and nothing follows. */ state: 'ok' | 'missing' | 'wrong' | 'unknown'
  /** The records of this kind that were found. */ found: Array<string>
  /** The step to take, in plain words. */ detail: string
  checkedAt: string | null
}

export type DnsRecord = {
  type: string
  /** Full name to publish it at. */ host: string
  value: string
}

export type DnsRecordCheck = {
  record: DnsRecord
  /** missing and wrong are definite; unknown: not checked yet, or the name servers gave no answer, and nothing follows. */ state: 'ok' | 'missing' | 'wrong' | 'unknown'
  /** The records of this kind that were found. */ found: Array<string>
  /** The step to take, in plain words. */ detail: string
  checkedAt: string | null
}

export type MxCheck = {
  /** missing and wrong are definite; unknown: not checked yet, or the name servers gave no answer, and nothing follows. */ state: 'ok' | 'missing' | 'wrong' | 'unknown'
  /** Its mail servers, the preferred first. */ found: Array<string>
  /** The step to take, in plain words. */ detail: string
  checkedAt: string | null
}

export type Rate = {
  numerator: number
  /** Messages that were accepted in the window; of bounces those that were refused at once as well. */ denominator: number
  /** 0 to 1; null where nothing was sent. */ rate: number | null
}

export type RelayCheck = {
  /** The server of the default integration. */ host: string
  /** The domain of return paths, whose SPF record decides. */ domain: string
  /** missing and wrong are definite; unknown: not checked yet, or the name servers gave no answer, and nothing follows. */ state: 'ok' | 'missing' | 'wrong' | 'unknown'
  /** The public addresses of the server. */ found: Array<string>
  /** The step to take, in plain words. */ detail: string
  checkedAt: string | null
} | null

export type ReturnPathCheck = {
  /** The domain of this installation’s return paths. */ domain: string
  mx: MxCheck
  spf: ReturnPathSpfCheck
} | null

export type ReturnPathSpfCheck = {
  /** missing and wrong are definite; unknown: not checked yet, or the name servers gave no answer, and nothing follows. */ state: 'ok' | 'missing' | 'wrong' | 'unknown'
  /** The records of this kind that were found. */ found: Array<string>
  /** The step to take, in plain words. */ detail: string
  checkedAt: string | null
}

export type SendingDomain = {
  id: string
  domain: string
  dkimSelector: string
  /** Whether the last definite DKIM check found the key. Never set by the caller. */ verified: boolean
  dkimRecord: DnsRecord
  spfRecord: DnsRecord
  dmarcRecord: DnsRecord
  lastCheckedAt: string | null
  verifiedAt: string | null
  createdAt: string
  updatedAt: string
}

export type SendingDomainBody = {
  /** Stored in lower case and ASCII (IDNA), without a final dot. */ domain: string
  /** DNS labels joined by dots: the name of the DKIM key. */ dkimSelector?: string
}

export type SendingDomainChange = {
  /** DNS labels joined by dots: the name of the DKIM key. */ dkimSelector?: string
}

export type SendingDomainChecks = {
  domain: string
  /** Every key of the domain: the current one first. */ dkim: Array<DkimKeyCheck>
  spf: DnsRecordCheck
  dmarc: DnsRecordCheck
  relay: RelayCheck
  returnPath: ReturnPathCheck
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

export type SendingDomainsOperations = {
  'DELETE /sending-domains/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: null
  }
  'GET /sending-domains': {
    params: undefined
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
  /** Only domains that contain this text. */ search?: string
  /** Only domains that are verified, or are not. */ verified?: boolean
}
    body: undefined
    answer: SendingDomainPage
  }
  'GET /sending-domains/rates': {
    params: undefined
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
  /** The days before now. */ windowDays?: number
}
    body: undefined
    answer: SendingDomainRatesPage
  }
  'GET /sending-domains/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: SendingDomain
  }
  'GET /sending-domains/{id}/checks': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: SendingDomainChecks
  }
  'PATCH /sending-domains/{id}': {
    params: { id: string }
    query: undefined
    body: SendingDomainChange
    answer: SendingDomain
  }
  'POST /sending-domains': {
    params: undefined
    query: undefined
    body: SendingDomainBody
    answer: SendingDomain
  }
  'POST /sending-domains/{id}/rotate-key': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: SendingDomainChecks
  }
  'POST /sending-domains/{id}/verify': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: SendingDomain
  }
}
