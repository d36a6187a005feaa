import type { UseQueryResult } from '@tanstack/react-query'
import type { SiteProblem } from '../../lib/problem.ts'
import type { BroadcastPreflight } from '../../lib/site-types.ts'
import { AlertTriangleIcon, CircleCheckIcon, CircleXIcon } from '../../ui/icons.tsx'
import { Link } from '../../ui/link.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Shown } from '../../ui/states.tsx'
import classes from './compose.module.css'
import { findingsOf, idOf, type SectionName, sectionOf } from './compose-section.tsx'
import type { Finding } from './when-findings.ts'

export const CHECKS_ID = 'before-it-goes-out'

/** Pages that mend what no part of a draft can. */
const PAGES: Partial<Record<Finding['code'], { name: string; to: string }>> = {
  workspace_unnamed: { name: 'Settings', to: '/settings' },
  postal_address_missing: { name: 'Settings', to: '/settings' },
  no_integration: { name: 'Integrations', to: '/integrations' },
  integration_disabled: { name: 'Integrations', to: '/integrations' },
  unverified_domain: { name: 'Domains', to: '/domains' },
}

type Props = {
  preflight: UseQueryResult<BroadcastPreflight, SiteProblem>
  /** Findings on its time. */
  onTime: readonly Finding[]
  /** Opens the part that a finding leads to, at a line of the mail where it is about one; undefined where no part is there to be opened. */
  onPlace?: (title: SectionName, line: number | null) => void
}

/** All that speaks against sending, and what should be known before; each leads to its place. */
export function PreflightChecks({ preflight, onTime, onPlace }: Props) {
  return (
    <div id={CHECKS_ID}>
      <Panel title="Before it goes out">
        <Shown read={preflight} rows={2}>
          {({ checks, ready }) => (
            <ul className={classes.checks} aria-live="polite">
              {[...onTime, ...checks].map((check) => (
                <li key={`${check.code} ${check.line} ${check.detail}`} data-severity={check.severity}>
                  {check.severity === 'error' ? <CircleXIcon size={15} /> : <AlertTriangleIcon size={15} />}
                  <span>
                    <span className="visually-hidden">
                      {check.severity === 'error' ? 'Has to be mended: ' : 'Hint: '}
                    </span>
                    {check.line !== null && <span className="numbers">Line {check.line}: </span>}
                    {check.detail} <Place check={check} {...(onPlace && { onPlace })} />
                  </span>
                </li>
              ))}
              {ready && findingsOf(onTime).errors === 0 && (
                <li data-severity="good">
                  <CircleCheckIcon size={15} />
                  <span>Nothing keeps it from being sent.</span>
                </li>
              )}
            </ul>
          )}
        </Shown>
      </Panel>
    </div>
  )
}

function Place({ check, onPlace }: { check: Finding } & Pick<Props, 'onPlace'>) {
  const page = PAGES[check.code]
  if (page !== undefined) return <Link to={page.to}>{page.name}</Link>
  const section = sectionOf(check)
  return section === undefined || onPlace === undefined ? null : (
    <a href={`#${idOf(section)}`} onClick={() => onPlace(section, check.field === 'body' ? check.line : null)}>
      {section}
    </a>
  )
}
