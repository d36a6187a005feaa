import { useCan } from '../../lib/permissions.ts'
import { Tabs } from '../../ui/tabs.tsx'

/** Addresses that are mailed nothing, and those that want some mail no more. */
export function RefusalTabs({ current }: { current: 'suppressed' | 'unsubscribed' }) {
  const can = useCan()
  const tabs = [
    { label: 'Suppressed', to: '/suppressions', current: current === 'suppressed', shown: can('suppressions:read') },
    {
      label: 'Unsubscribed',
      to: '/suppressions/unsubscribes',
      current: current === 'unsubscribed',
      shown: can('contacts:read'),
    },
  ]
  return <Tabs label="Kinds of refusals" tabs={tabs.filter(({ shown }) => shown)} />
}
