import { useCan } from '../../lib/permissions.ts'
import { useSite } from '../../lib/use-site.ts'
import { ButtonLink } from '../../ui/link.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Shown } from '../../ui/states.tsx'
import { RestraintSettingsPanel } from '../confirmations/restraint-settings.tsx'
import { SendingSettingsPanel } from '../confirmations/sending-settings.tsx'
import { BrandPanel } from './brand-panel.tsx'
import { LooksPanel } from './looks-panel.tsx'
import { NamePanel } from './name-panel.tsx'
import { SecurityPanel } from './security-panel.tsx'
import classes from './settings.module.css'

/** The workspace itself: its name, how readers see it, how it sends, who gets in. */
export default function SettingsPage() {
  const can = useCan()
  const workspace = useSite('GET /', {})
  const restoration = useSite('GET /site/restoration', {})
  return (
    <>
      <PageHeader
        title="Settings"
        actions={
          <>
            {restoration.data?.mayConfirm && <ButtonLink to="/system">System</ButtonLink>}
            <ButtonLink to="/workspaces">All workspaces</ButtonLink>
          </>
        }
      >
        Of this workspace alone.
      </PageHeader>
      <Shown read={workspace}>
        {(read) => (
          <div className={classes.panels}>
            {!can('workspace:write') && (
              <Notice>You can read these. An owner or admin of the workspace can change them.</Notice>
            )}
            <NamePanel workspace={read} />
            <BrandPanel workspace={read} />
            <LooksPanel workspace={read} />
            {can('integrations:read') && <SendingSettingsPanel />}
            {can('integrations:read') && <RestraintSettingsPanel />}
            <SecurityPanel workspace={read} />
          </div>
        )}
      </Shown>
    </>
  )
}
