import { useHere } from '../lib/permissions.ts'
import { InboxIcon } from '../ui/icons.tsx'
import classes from './bands.module.css'
import { useMailStays } from './bands-reads.ts'

/** While the default integration leads to the mailbox of this machine, nothing reaches anybody, and every page says so. */
export function MailStaysBand() {
  const { workspace } = useHere()
  if (!useMailStays()) return null
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
