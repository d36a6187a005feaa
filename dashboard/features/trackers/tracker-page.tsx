import { useCan } from '../../lib/permissions.ts'
import type { Tracker } from '../../lib/site-types.ts'
import { useSite, useSiteTagged } from '../../lib/use-site.ts'
import { usePathId } from '../../lib/use-url-state.ts'
import { AsCurl } from '../../ui/as-curl.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Copyable } from '../../ui/copyable.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Fact, Facts, Panel } from '../../ui/panel.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { Shown } from '../../ui/states.tsx'
import { IdentityKeys } from './identity-keys.tsx'
import { TrackerActs } from './tracker-acts.tsx'
import { TrackerEvents } from './tracker-events.tsx'
import { TrackerBadge, TrackerHealth } from './tracker-health.tsx'
import { CONSENT_MODES, snippetOf } from './tracker-words.ts'
import classes from './trackers.module.css'

/** One tracker: the line for the site, its rules, and how it fares. */
export default function TrackerPage() {
  const id = usePathId('trackerId')
  const can = useCan()
  const trackers = useSite('GET /trackers', { query: {} })
  const tracker = useSiteTagged('GET /trackers/{id}', { params: { id } })
  return (
    <Shown read={tracker}>
      {({ value, etag }) => (
        <>
          <PageHeader
            title={value.name}
            back={{ to: '/trackers', label: 'Trackers' }}
            badge={<TrackerBadge {...value} />}
            actions={
              <>
                <AsCurl operation="GET /trackers/{id}" params={{ id }} />
                <TrackerActs tracker={value} etag={etag} />
              </>
            }
          />
          <Warnings tracker={value} />
          <div className={classes.columns}>
            <ForTheSite tracker={value} />
            <Rules tracker={value} />
            <TrackerHealth id={id} />
            <IdentityKeys trackerId={id} />
            {can('events:read') && <TrackerEvents isOnly={trackers.data?.totalItems === 1} />}
          </div>
        </>
      )}
    </Shown>
  )
}

function Warnings({ tracker: { paused, allowedOrigins } }: { tracker: Tracker }) {
  if (!paused && allowedOrigins.length > 0) return null
  return (
    <div className={classes.warnings}>
      {paused && <Notice>Paused. What pages send is thrown away and cannot be brought back.</Notice>}
      {allowedOrigins.length === 0 && (
        <Notice tone="warn">
          Any site on the web can record visits under this key. Name your own sites, so that others are refused.
        </Notice>
      )}
    </div>
  )
}

/** What is to be put into the pages. */
function ForTheSite({ tracker }: { tracker: Tracker }) {
  const { key, previousKeyUntil, consentMode } = tracker
  return (
    <Panel title="For your site">
      <div className={classes.site}>
        <p>
          Put this line into every page of your site, before <code>&lt;/head&gt;</code>, or give it to whoever looks
          after the site. {consentMode === 'required' && 'Your consent dialog has to tell it when somebody says yes.'}
        </p>
        <CodeBlock title="Line of HTML" text={snippetOf(tracker)} />
        <Facts>
          <Fact name="Key">
            <Copyable text={key} what="the key" />
            <div className="soft">It stands in your pages for all to read: it is no secret.</div>
          </Fact>
          {previousKeyUntil !== null && Date.parse(previousKeyUntil) > Date.now() && (
            <Fact name="Key before this one">
              Works until <RelativeTime at={previousKeyUntil} absolute />
            </Fact>
          )}
        </Facts>
      </div>
    </Panel>
  )
}

function Rules({ tracker }: { tracker: Tracker }) {
  const { allowedOrigins, consentMode, allowedActions, serverOnlyActions, respectGpc, createdAt } = tracker
  const { linkIdentity, autoMerge } = tracker
  return (
    <Panel title="Rules">
      <Facts>
        <Fact name="Sites that may use it">
          <Names names={allowedOrigins} none="Any site" />
        </Fact>
        <Fact name="Consent">
          {CONSENT_MODES[consentMode].short}
          <div className="soft">{CONSENT_MODES[consentMode].long}</div>
        </Fact>
        <Fact name="Global Privacy Control">
          {respectGpc ? 'Counts as a no' : 'Is not looked at'}
          <div className="soft">
            A switch in some browsers that asks all sites not to track. It matters where visitors are recorded until
            they say no.
          </div>
        </Fact>
        <Fact name="Links of your mails">
          {linkIdentity ? 'Tell these sites whose mail it was' : 'Tell nobody whose mail it was'}
        </Fact>
        <Fact name="Contacts that are the same person">{autoMerge ? 'Are merged' : 'Are listed as conflicts'}</Fact>
        <Fact name="Events that pages may record">
          <Names names={allowedActions} none={serverOnlyActions.length > 0 ? 'All others' : 'All'} />
        </Fact>
        <Fact name="Events that only your server may record">
          <Names names={serverOnlyActions} none="None" />
        </Fact>
        <Fact name="Created">
          <RelativeTime at={createdAt} absolute />
        </Fact>
      </Facts>
    </Panel>
  )
}

function Names({ names, none }: { names: readonly string[]; none: string }) {
  if (names.length === 0) return none
  return (
    <ul className={classes.list}>
      {names.map((name) => (
        <li key={name}>
          <code>{name}</code>
        </li>
      ))}
    </ul>
  )
}
