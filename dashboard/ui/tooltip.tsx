import { Tooltip as KitTooltip, type TooltipProps } from '@mantine/core'

/** A word more about something, on hover and focus. Its child can be focused. */
export function Tooltip(props: TooltipProps) {
  return <KitTooltip multiline maw={320} {...props} />
}
