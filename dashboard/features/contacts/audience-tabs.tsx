import { useRouterState } from '@tanstack/react-router'
import { useCan } from '../../lib/permissions.ts'
import { appPath } from '../../lib/workspace-here.ts'
import { Tabs } from '../../ui/tabs.tsx'

/** The pages about everybody: people, and what is known of all of them. */
export function AudienceTabs() {
  const can = useCan()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const tabs = [
    { label: 'Contacts', to: '/contacts', shown: true },
    { label: 'Tags', to: '/contacts/tags', shown: true },
    { label: 'Topics', to: '/contacts/topics', shown: true },
    { label: 'Custom fields', to: '/contacts/fields', shown: can('custom_fields:read') },
    { label: 'Imports', to: '/contacts/imports', shown: true },
    { label: 'Exports', to: '/contacts/exports', shown: true },
  ].filter(({ shown }) => shown)
  const current = (to: string) => path === appPath(to) || path === to
  return <Tabs label="About contacts" tabs={tabs.map(({ label, to }) => ({ label, to, current: current(to) }))} />
}
