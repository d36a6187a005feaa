import type { UseQueryResult } from '@tanstack/react-query'
import type { SiteProblem } from '../../lib/problem.ts'
import type { BroadcastPreflight } from '../../lib/site-types.ts'
import { AlertTriangleIcon, CircleCheckIcon, CircleXIcon } from '../../ui/icons.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Shown } from '../../ui/states.tsx'
import classes from './compose.module.css'
import { idOf, sectionOf } from './compose-section.tsx'

/** All that speaks against sending, and what should be known before; each leads to its place. */
export function PreflightChecks({ preflight }: { preflight: UseQueryResult<BroadcastPreflight, SiteProblem> }) {
  return (
    <Panel title="Before it goes out">
      <Shown read={preflight} rows={3}>
        {({ checks, ready }) => (
          <ul className={classes.checks} aria-live="polite">
            {checks.map((check) => (
              <li key={`${check.code} ${check.line} ${check.detail}`} data-severity={check.severity}>
                {check.severity === 'error' ? <CircleXIcon size={15} /> : <AlertTriangleIcon size={15} />}
                <span>
                  <span className="visually-hidden">
                    {check.severity === 'error' ? 'Has to be mended: ' : 'Hint: '}
                  </span>
                  {check.line !== null && <span className="numbers">Line {check.line}: </span>}
                  {check.detail} <Place section={sectionOf(check)} />
                </span>
              </li>
            ))}
            {ready && (
              <li data-severity="good">
                <CircleCheckIcon size={15} />
                <span>Nothing keeps it from being sent.</span>
              </li>
            )}
          </ul>
        )}
      </Shown>
    </Panel>
  )
}

function Place({ section }: { section: ReturnType<typeof sectionOf> }) {
  return section === undefined ? null : <a href={`#${idOf(section)}`}>{section}</a>
}
