import { numberText, shareText } from '../../lib/format.ts'
import { useSite } from '../../lib/use-site.ts'
import { Notice } from '../../ui/notice.tsx'
import { Fact, Facts, Panel } from '../../ui/panel.tsx'
import { Shown } from '../../ui/states.tsx'
import { refusalText } from './form-words.tsx'
import classes from './forms.module.css'

/** How often sums and sign-ups are read, which tell of the same. */
export const SIGN_UPS_POLL_MS = 30_000
const DAYS = 30

/** What came of a form in the last days. */
export function useFormStats(id: string) {
  return useSite('GET /forms/{id}/stats', { params: { id }, query: { days: DAYS } }, { pollMs: SIGN_UPS_POLL_MS })
}

/** Sign-ups of the last days, and why others came to nothing. */
export function StatsPanel({ read }: { read: ReturnType<typeof useFormStats> }) {
  return (
    <Panel title="Sign-ups" note={`Last ${DAYS} days`}>
      <Shown read={read}>
        {({ submitted, confirmed, waiting, expired, notMe, refused, underAttack }) => (
          <div className={classes.panels}>
            {underAttack && (
              <Notice tone="warn">
                This form is being filled in much more often than usual, probably by programs. People’s browsers work a
                few seconds longer now, unless you have switched that off, and no address gets more than one mail a day.
              </Notice>
            )}
            <Facts>
              <Fact name="Filled in">
                <span className="numbers">{numberText(submitted)}</span>
              </Fact>
              <Fact name="Confirmed">
                <span className="numbers">{numberText(confirmed)}</span>
                {submitted > 0 && <span className="soft"> {shareText(confirmed, submitted)}</span>}
              </Fact>
              <Fact name="Waiting for their answer">
                <span className="numbers">{numberText(waiting)}</span>
              </Fact>
              <Fact name="Not confirmed within 7 days">
                <span className="numbers">{numberText(expired)}</span>
              </Fact>
              <Fact name="Said it was not them">
                <span className="numbers">{numberText(notMe)}</span>
              </Fact>
            </Facts>
            {refused.length > 0 && (
              <section>
                <h3 className={classes.refusedTitle}>Nobody was asked, because</h3>
                <Facts>
                  {refused.map(({ reason, total }) => (
                    <Fact key={reason} name={refusalText(reason)}>
                      <span className="numbers">{numberText(total)}</span>
                    </Fact>
                  ))}
                </Facts>
              </section>
            )}
          </div>
        )}
      </Shown>
    </Panel>
  )
}
