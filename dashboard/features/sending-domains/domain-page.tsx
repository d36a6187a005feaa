import { useCan } from '../../lib/permissions.ts'
import type { SendingDomain, SendingDomainChecks } from '../../lib/site-types.ts'
import { useSite, useSiteTagged } from '../../lib/use-site.ts'
import { usePathId, useUrlState } from '../../lib/use-url-state.ts'
import { AsCurl } from '../../ui/as-curl.tsx'
import { Select } from '../../ui/controls.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Shown } from '../../ui/states.tsx'
import { DnsRecordPanel } from './dns-record-panel.tsx'
import { DomainActs } from './domain-acts.tsx'
import classes from './domains.module.css'
import { useRecheck } from './use-recheck.ts'
import { VerifiedBadge } from './verified-badge.tsx'
import { WayPanel } from './way-panel.tsx'
import { likelyZone, zonesOf } from './zone.ts'

const POLL_MS = 3_000

/** One domain: what to publish, what was found of it, and the step to take. */
export default function DomainPage() {
  const id = usePathId('domainId')
  const params = { id }
  const domain = useSiteTagged('GET /sending-domains/{id}', { params })
  const checks = useSite('GET /sending-domains/{id}/checks', { params }, { pollMs: POLL_MS })
  return (
    <Shown read={domain}>
      {({ value }) => (
        <>
          <PageHeader
            title={value.domain}
            back={{ to: '/domains', label: 'Domains' }}
            badge={
              <VerifiedBadge
                domain={value.domain}
                verified={checks.data?.dkim.some(({ signing }) => signing) ?? value.verified}
              />
            }
            actions={
              <>
                <AsCurl operation="GET /sending-domains/{id}/checks" params={params} />
                <DomainActs domain={value} checks={checks.data} />
              </>
            }
          />
          <Shown read={checks}>{(read) => <Records domain={value} checks={read} />}</Shown>
        </>
      )}
    </Shown>
  )
}

function Records({ domain, checks }: { domain: SendingDomain; checks: SendingDomainChecks }) {
  const zones = zonesOf(domain.domain)
  const [url, setUrl] = useUrlState({ zone: likelyZone(domain.domain) })
  const zone = zones.includes(url.zone) ? url.zone : likelyZone(domain.domain)
  const all = [...checks.dkim, checks.spf, checks.dmarc]
  const isDone = all.every(({ state }) => state === 'ok')
  const isSigning = checks.dkim.some(({ signing }) => signing)
  return (
    <>
      <Progress domainId={domain.id} isDone={isDone} isSigning={isSigning} />
      {zones.length > 1 && (
        <div className={classes.zone}>
          <Select
            label="Zone that your DNS provider shows"
            description="Hosts below are written relative to it, as most DNS panels want them."
            value={zone}
            onChange={(event) => setUrl({ zone: event.currentTarget.value }, { replace: true })}
            options={zones.map((name) => ({ value: name, label: name }))}
          />
        </div>
      )}
      <div className={classes.records}>
        {checks.dkim.map((check) => (
          <DnsRecordPanel
            key={check.selector}
            title={DKIM_TITLES[check.role]}
            purpose={DKIM_PURPOSES[check.role]}
            check={check}
            zone={zone}
            until={check.role === 'retiring' ? check.retiresAt : null}
          />
        ))}
        <DnsRecordPanel
          title="SPF"
          purpose="Says which servers may send for the domain."
          check={checks.spf}
          zone={zone}
        />
        <DnsRecordPanel
          title="DMARC"
          purpose="Says what receivers do with mail that fails, and where they report it."
          check={checks.dmarc}
          zone={zone}
        />
        <Way checks={checks} />
      </div>
    </>
  )
}

/** The server that mail is handed to, and the domain that it comes back to: the installation's, not the domain's own. */
function Way({ checks: { relay, returnPath } }: { checks: SendingDomainChecks }) {
  return (
    <>
      {relay && (
        <WayPanel
          title="Mail server"
          purpose={`Whether receivers take mail from ${relay.host} as allowed by ${relay.domain}.`}
          check={relay}
        />
      )}
      {returnPath && (
        <>
          <WayPanel
            title="Mail servers of return paths"
            purpose={`Where mail that comes back to ${returnPath.domain} goes.`}
            check={returnPath.mx}
          />
          <WayPanel
            title="SPF of return paths"
            purpose={`Says which servers may send under return paths of ${returnPath.domain}; receivers ask here.`}
            check={returnPath.spf}
          />
        </>
      )}
    </>
  )
}

const DKIM_TITLES = { current: 'DKIM', next: 'DKIM, the next key', retiring: 'DKIM, the key before' } as const
const DKIM_PURPOSES = {
  current: 'Signs every mail. This one makes the domain verified.',
  next: 'Publish it beside the current one. It takes over as soon as it is found.',
  retiring: 'Keep its record, so that mail still on its way can be verified.',
} as const

/** Where one stands, and that nobody has to press anything for it to go on. */
function Progress({ domainId, isDone, isSigning }: { domainId: string; isDone: boolean; isSigning: boolean }) {
  const can = useCan()
  const rechecks = useRecheck(domainId, { wanted: !isDone && can('sending_domains:write') })
  const tone = isSigning ? 'good' : 'info'
  return (
    <div className={classes.progress} role="status">
      <Notice tone={isDone ? 'good' : tone}>
        {isDone
          ? 'All records are in place. They are looked up again every 15 minutes, and owners are told when one is lost.'
          : isSigning
            ? 'The domain is verified and mail is signed. The records marked below can be better.'
            : 'Publish these records where the domain’s DNS is managed. It can take minutes until they are seen.'}
        {!isDone && rechecks && ' They are looked up every 30 seconds while this page is open.'}
      </Notice>
    </div>
  )
}
