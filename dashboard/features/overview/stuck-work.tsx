import { countText, namesText } from '../../lib/format.ts'
import { hasPage } from '../../lib/pages-here.ts'
import { useCan } from '../../lib/permissions.ts'
import type { Permission } from '../../lib/site-types.ts'
import { useSite } from '../../lib/use-site.ts'
import { Link } from '../../ui/link.tsx'
import { Notice } from '../../ui/notice.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { MAILBOX_DOMAIN } from '../integrations/leads-to-mailbox.ts'
import classes from './overview.module.css'

const LIST = { pageSize: 100 }
/** As often as the numbers below: the page may be left open all day. */
const POLL_MS = 15_000

/** What tells whether something keeps mail from going out. */
export function useStuckWork() {
  const can = useCan()
  const asked = (needs: Permission) => ({ enabled: can(needs), pollMs: POLL_MS })
  const paused = { status: 'paused' as const, pageSize: 5 }
  return {
    restoration: useSite('GET /site/restoration', {}, { pollMs: POLL_MS }),
    integrations: useSite('GET /integrations', { query: LIST }, asked('integrations:read')),
    domains: useSite('GET /sending-domains', { query: LIST }, asked('sending_domains:read')),
    paused: useSite('GET /broadcasts', { query: paused }, asked('broadcasts:read')),
    endpoints: useSite('GET /webhooks', { query: LIST }, asked('webhooks:read')),
  }
}

/** Everything that keeps mail from going out, each in a sentence with the way to mend it. */
export function StuckWork({ reads }: { reads: ReturnType<typeof useStuckWork> }) {
  const { restoration, integrations, domains, paused, endpoints } = reads
  const standard = integrations.data?.items.find(({ isDefault }) => isDefault)
  const unverified = domains.data?.items.filter(({ verified, domain }) => !verified && domain !== MAILBOX_DOMAIN) ?? []
  const switchedOff = endpoints.data?.items.filter(({ enabled }) => !enabled) ?? []
  const limits =
    integrations.data?.items.filter(({ sendLimit }) => sendLimit.warnings.includes('dailyLimitReached')) ?? []

  return (
    <div className={classes.stuck}>
      {restoration.data?.held && (
        <Notice tone="bad">
          Nothing is sent or delivered
          {restoration.data.heldSince !== null && (
            <>
              {' '}
              since <RelativeTime at={restoration.data.heldSince} />
            </>
          )}
          , because the database was restored or copied. An owner of the first workspace lets it go on.
        </Notice>
      )}
      {integrations.data && standard === undefined && (
        <Notice tone="bad">
          There is no integration to send through. <Way to="/integrations">Set one up</Way>
        </Notice>
      )}
      {standard?.enabled === false && (
        <Notice tone="bad">
          The default integration {standard.name} is switched off, so nothing goes out.{' '}
          <Way to="/integrations">See integrations</Way>
        </Notice>
      )}
      {limits.map(({ id, name }) => (
        <Notice key={id} tone="warn">
          {name} has used up its limit for 24 hours; mail waits until there is room.{' '}
          <Way to="/integrations">See its limits</Way>
        </Notice>
      ))}
      {unverified.length > 0 && (
        <Notice tone="warn">
          {countText(unverified.length, 'sending domain')} not verified yet:{' '}
          {unverified.map(({ domain }) => domain).join(', ')}. Mail from there waits.{' '}
          <Way to="/domains">See what is missing</Way>
        </Notice>
      )}
      {paused.data && paused.data.totalItems > 0 && (
        <Notice tone="warn">
          {countText(paused.data.totalItems, 'broadcast')} paused:{' '}
          {namesText(paused.data.items.map(({ name }) => name))}. <Way to="/broadcasts">Go on or cancel</Way>
        </Notice>
      )}
      {switchedOff.length > 0 && (
        <Notice tone="info">
          {countText(switchedOff.length, 'webhook endpoint')} switched off:{' '}
          {switchedOff.map(({ url }) => url).join(', ')}. <Way to="/webhooks">See webhooks</Way>
        </Notice>
      )}
    </div>
  )
}

/** A link where there is a page for it. */
function Way({ to, children }: { to: string; children: string }) {
  return hasPage(to) ? <Link to={to}>{children}</Link> : null
}
