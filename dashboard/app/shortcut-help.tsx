import type { Shortcut } from '../lib/shortcuts.ts'
import { Dialog } from '../ui/dialog.tsx'
import classes from './palette.module.css'

const APPLE = /Mac|iPhone|iPad/.test(navigator.platform)

export default function ShortcutHelp({ shortcuts, onClose }: { shortcuts: readonly Shortcut[]; onClose: () => void }) {
  const all = [
    { keys: APPLE ? '⌘ K' : 'Ctrl K', does: 'Find anything, do anything' },
    ...shortcuts,
    { keys: 'Esc', does: 'Close what is open' },
  ]
  return (
    <Dialog title="Keys" opened onClose={onClose}>
      <dl className={classes.keys}>
        {all.map(({ keys, does }) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
