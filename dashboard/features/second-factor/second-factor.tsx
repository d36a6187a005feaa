import { useState } from 'react'
import { countText } from '../../lib/format.ts'
import { lazyPart } from '../../lib/load-part.ts'
import { useSite } from '../../lib/use-site.ts'
import { Button } from '../../ui/controls.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Panel } from '../../ui/panel.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { Shown } from '../../ui/states.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import classes from './second-factor.module.css'

const EnrolDialog = lazyPart(() => import('./enrol-dialog.tsx'))
const CodeDialog = lazyPart(() => import('./code-dialog.tsx'))

const FEW_CODES = 3

/** Codes of an app, asked for besides the password. */
export function SecondFactor() {
  const state = useSite('GET /site/auth/second-factor', {})
  const [open, setOpen] = useState<'enrol' | 'codes' | 'disable'>()
  const close = () => setOpen(undefined)
  return (
    <Panel
      title="Second factor"
      note={
        state.data && (
          <StatusBadge tone={state.data.enabled ? 'good' : 'neutral'}>{state.data.enabled ? 'On' : 'Off'}</StatusBadge>
        )
      }
    >
      <Shown read={state} rows={2}>
        {({ enabled, enabledAt, recoveryCodesLeft }) => (
          <div className={classes.state}>
            {enabled ? (
              <>
                <p>
                  Logging in asks for a code of your app
                  {enabledAt !== null && (
                    <>
                      , since <RelativeTime at={enabledAt} absolute />
                    </>
                  )}
                  . {countText(recoveryCodesLeft, 'recovery code')} left.
                </p>
                {recoveryCodesLeft <= FEW_CODES && (
                  <Notice tone="warn">Few recovery codes are left. Make new ones before you need them.</Notice>
                )}
                <div className={classes.acts}>
                  <Button onClick={() => setOpen('codes')}>New recovery codes</Button>
                  <Button onClick={() => setOpen('disable')}>Switch off</Button>
                </div>
              </>
            ) : (
              <>
                <p className="soft">
                  With it a stolen password opens nothing: logging in also asks for a code of an authenticator app.
                </p>
                <div className={classes.acts}>
                  <Button kind="primary" onClick={() => setOpen('enrol')}>
                    Switch on
                  </Button>
                </div>
              </>
            )}
          </div>
        )}
      </Shown>
      {open === 'enrol' && <EnrolDialog onClose={close} />}
      {(open === 'codes' || open === 'disable') && <CodeDialog act={open} onClose={close} />}
    </Panel>
  )
}
