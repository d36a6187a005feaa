import { useRef } from 'react'
import { Button } from '../../ui/controls.tsx'
import { FileTextIcon } from '../../ui/icons.tsx'
import { MailThumbnail } from '../../ui/mail-thumbnail.tsx'
import { useWasSeen } from '../../ui/use-was-seen.ts'
import { useBeginningPreview } from './beginning-preview.ts'
import type { Beginning } from './beginnings.ts'
import classes from './gallery.module.css'

type Props = {
  beginning: Beginning
  onLook?: (beginning: Beginning) => void
  onTake: (beginning: Beginning) => void
  busy: boolean
}

/** One mail of the gallery, small. Its picture is made once it is seen. */
export function GalleryCard({ beginning, onLook, onTake, busy }: Props) {
  const card = useRef<HTMLLIElement>(null)
  const preview = useBeginningPreview(beginning, useWasSeen(card))
  const { name } = beginning
  return (
    <li ref={card} className={classes.card}>
      <div className={classes.picture}>
        {beginning.is === 'none' ? (
          <span className={classes.empty}>
            <FileTextIcon size={28} />
          </span>
        ) : preview.data ? (
          <MailThumbnail html={preview.data.html} title={name} />
        ) : (
          preview.error && <p className={classes.fault}>It cannot be shown: {preview.error.title}.</p>
        )}
        {onLook && (
          <button
            type="button"
            className={classes.look}
            aria-label={`Look at ${name}`}
            onClick={() => onLook(beginning)}
          />
        )}
      </div>
      <div className={classes.words}>
        <h3>{name}</h3>
        <p>{'description' in beginning ? beginning.description : 'Write your own, from the first line.'}</p>
      </div>
      <Button small disabled={busy} aria-label={`Begin with this: ${name}`} onClick={() => onTake(beginning)}>
        Begin with this
      </Button>
    </li>
  )
}
