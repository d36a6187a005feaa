import { leadsToMailbox } from '../features/integrations/leads-to-mailbox.ts'
import { useCan, useHere } from '../lib/permissions.ts'
import { useSite } from '../lib/use-site.ts'
import { InboxIcon } from '../ui/icons.tsx'
import classes from './bands.module.css'

const STALE_MS = 60_000

/** While the default integration leads to the mailbox of this machine, nothing reaches anybody, and every page says so. */
export function MailStaysBand() {
  const can = useCan()
  const { workspace } = useHere()
  const integrations = useSite(
    'GET /integrations',
    { query: { pageSize: 100 } },
    { enabled: can('integrations:read'), staleMs: STALE_MS },
  )
  const standard = integrations.data?.items.find(({ isDefault }) => isDefault)
  if (standard === undefined || !leadsToMailbox(standard)) return null
  return (
    <aside className={classes.band} aria-label="Mail stays here">
      <InboxIcon size={15} />
      <p>
        <strong>Mail stays here.</strong>{' '}
        <span className={classes.more}>
          Everything that is sent ends in the mailbox, until another integration is the default.
        </span>
      </p>
      <a href={`/app/mailbox/${workspace.slug}`}>Open the mailbox</a>
    </aside>
  )
}
