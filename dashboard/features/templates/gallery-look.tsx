import { useState } from 'react'
import { Button } from '../../ui/controls.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { DeviceDesktopIcon, DeviceMobileIcon, MoonIcon } from '../../ui/icons.tsx'
import { MailFrame } from '../../ui/mail-frame.tsx'
import { Shown } from '../../ui/states.tsx'
import { useBeginningPreview } from './beginning-preview.ts'
import type { Beginning } from './beginnings.ts'
import classes from './gallery.module.css'

const LOOKS = [
  { look: 'desktop', name: 'Desktop', icon: DeviceDesktopIcon },
  { look: 'phone', name: 'Phone', icon: DeviceMobileIcon },
  { look: 'dark', name: 'Dark', icon: MoonIcon },
] as const

type Props = { beginning: Beginning; onTake: (beginning: Beginning) => void; busy: boolean; onClose: () => void }

/** One mail of the gallery as large as it is. */
export default function GalleryLook({ beginning, onTake, busy, onClose }: Props) {
  const [look, setLook] = useState<(typeof LOOKS)[number]['look']>('desktop')
  const preview = useBeginningPreview(beginning, true)
  return (
    <Dialog title={beginning.name} wide opened onClose={onClose}>
      <div className={classes.bar}>
        <fieldset className={classes.looks}>
          <legend className="visually-hidden">How to look at it</legend>
          {LOOKS.map(({ look: one, name, icon }) => (
            <Button key={one} small kind="quiet" icon={icon} aria-pressed={look === one} onClick={() => setLook(one)}>
              {name}
            </Button>
          ))}
        </fieldset>
        <Button small kind="primary" busy={busy} onClick={() => onTake(beginning)}>
          Begin with this
        </Button>
      </div>
      <div className={classes.whole}>
        <Shown read={{ ...preview, data: preview.data ?? undefined }}>
          {({ html }) => <MailFrame html={html} title="The mail" phone={look === 'phone'} dark={look === 'dark'} />}
        </Shown>
      </div>
    </Dialog>
  )
}
