import { DAY_SECONDS } from '../../platform/durations.ts'
import type { Owner } from '../members/owners-of.ts'
import type { SystemMail } from '../system-mail/system-mailer.ts'
import { dkimRecordOf } from './dns-records.ts'
import type { DomainRow } from './queries.ts'

const NOTICE_SECONDS = DAY_SECONDS

/** Tells an owner that a domain is verified no longer, what the check found, and what to publish. */
export function unverifiedNotice(owner: Owner, row: DomainRow, detail: string): SystemMail {
  const { host, value } = dkimRecordOf(row.domain, { selector: row.dkimSelector, publicKey: row.publicKey })
  return {
    kind: 'domain_notice',
    recipient: owner.email,
    lifeSeconds: NOTICE_SECONDS,
    content: {
      subject: `${row.domain} is no longer verified`,
      paragraphs: [
        `Hello ${owner.name},`,
        `the DKIM record of ${row.domain}, from which the workspace ${owner.workspace} sends mail, is not as it was: ${detail}`,
        `The name has to be ${host}, the type TXT, and the value:`,
        value,
        'It is checked again every 15 minutes, and at once when you ask for it.',
      ],
    },
  }
}
