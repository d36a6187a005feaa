import { dkimRecordOf, dmarcRecordOf, type MailProvider, spfRecordOf } from './dns-records.ts'
import type { DomainRow } from './queries.ts'
import type { SendingDomain } from './schemas.ts'

/** The domain as every surface answers it. */
export function sendingDomainOf(row: DomainRow): SendingDomain {
  const { id, domain, dkimSelector, publicKey, lastCheckedAt, verifiedAt, createdAt, updatedAt } = row
  return {
    id,
    domain,
    dkimSelector,
    verified: verifiedAt !== null,
    dkimRecord: dkimRecordOf(domain, { selector: dkimSelector, publicKey }),
    spfRecord: spfRecordOf(domain, providerOf(row)),
    dmarcRecord: dmarcRecordOf(domain),
    lastCheckedAt,
    verifiedAt,
    createdAt,
    updatedAt,
  }
}

export function providerOf({ provider, providerHost, providerEndpoint }: DomainRow): MailProvider | undefined {
  return provider === null ? undefined : { provider, host: providerHost, endpoint: providerEndpoint }
}

/** A domain as the target of an audit entry. */
export function auditedDomain({ id, domain }: Pick<DomainRow, 'id' | 'domain'>) {
  return { type: 'sending_domain', id, name: domain }
}
