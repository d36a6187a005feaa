import { MailFrame } from './mail-frame.tsx'
import classes from './mail-thumbnail.module.css'

/** The upper part of a mail, small, as a sheet of paper. It is looked at and no more: nothing in it takes a click or a key. */
export function MailThumbnail({ html, title }: { html: string; title: string }) {
  return (
    <div className={classes.sheet} inert>
      <div className={classes.mail}>
        <MailFrame html={html} title={title} />
      </div>
    </div>
  )
}
