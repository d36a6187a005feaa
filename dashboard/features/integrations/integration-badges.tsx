import type { Integration } from '../../lib/site-types.ts'
import { StatusBadge } from '../../ui/status-badge.tsx'
import classes from './integrations.module.css'

/** Whether it is used, and by default. */
export function IntegrationBadges({ integration }: { integration: Integration }) {
  const { enabled, isDefault, config } = integration
  return (
    <span className={classes.badges}>
      {isDefault && (
        <StatusBadge tone="info" title="Mail goes through it where nothing else is named.">
          Default
        </StatusBadge>
      )}
      {!enabled ? (
        <StatusBadge tone="neutral" title="Nothing is sent through it.">
          Switched off
        </StatusBadge>
      ) : config.fromVerified ? (
        <StatusBadge tone="good">Ready</StatusBadge>
      ) : (
        <StatusBadge tone="warn" title="The domain of its sender is not verified.">
          Sender not verified
        </StatusBadge>
      )}
    </span>
  )
}
