import { AlertTriangleIcon } from '../ui/icons.tsx'
import { Link } from '../ui/link.tsx'
import classes from './bands.module.css'
import { useRestoration } from './bands-reads.ts'

/** Since a restore nothing goes out of the whole installation until somebody says so, and every page tells. */
export function HeldBand() {
  const restoration = useRestoration()
  if (!restoration.data?.held) return null
  return (
    <aside className={classes.band} data-tone="bad" aria-label="Sending is held">
      <AlertTriangleIcon size={15} />
      <p>
        <strong>Sending is held.</strong> The database was restored or copied: no mail goes out and no webhook is
        delivered until whoever runs the installation lets it go on.
      </p>
      {restoration.data.mayConfirm && <Link to="/system">See why, and let it go on</Link>}
    </aside>
  )
}
