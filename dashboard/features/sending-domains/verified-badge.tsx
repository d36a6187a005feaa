import { StatusBadge } from '../../ui/status-badge.tsx'
import { MAILBOX_DOMAIN } from '../integrations/leads-to-mailbox.ts'

export function VerifiedBadge({ verified, domain }: { verified: boolean; domain: string }) {
  if (domain === MAILBOX_DOMAIN)
    return (
      <StatusBadge tone="neutral" title="Mail from it stays in the mailbox.">
        Of this machine
      </StatusBadge>
    )
  return verified ? (
    <StatusBadge tone="good" title="The DKIM key was found: mail is signed.">
      Verified
    </StatusBadge>
  ) : (
    <StatusBadge tone="warn" title="The DKIM key was not found yet: mail from this domain waits or is refused.">
      Not verified
    </StatusBadge>
  )
}
