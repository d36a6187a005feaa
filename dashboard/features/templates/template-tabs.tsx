import { useRouterState } from '@tanstack/react-router'
import { appPath } from '../../lib/workspace-here.ts'
import { Tabs } from '../../ui/tabs.tsx'

const TABS = [
  { label: 'Templates', to: '/templates' },
  { label: 'Images', to: '/templates/images' },
]

/** The pages of what mails are made of. */
export function TemplateTabs() {
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const tabs = TABS.map((tab) => ({ ...tab, current: path === appPath(tab.to) || path === tab.to }))
  return <Tabs label="About templates" tabs={tabs} />
}
