import { Popover as KitPopover } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './popover.module.css'

/** A few choices beside the button that opens them. */
export function Popover({ label, target, children }: { label: string; target: ReactNode; children: ReactNode }) {
  return (
    <KitPopover position="bottom-end" radius="md" shadow="md" trapFocus returnFocus transitionProps={{ duration: 80 }}>
      <KitPopover.Target>{target}</KitPopover.Target>
      <KitPopover.Dropdown aria-label={label}>
        <div className={classes.content}>{children}</div>
      </KitPopover.Dropdown>
    </KitPopover>
  )
}
