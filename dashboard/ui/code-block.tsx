import type { ReactNode } from 'react'
import classes from './code-block.module.css'
import { CopyButton } from './copyable.tsx'

/** A text of machines, exactly as it is, with its name and a button that copies it. */
export function CodeBlock({ title, text, note }: { title: string; text: string; note?: ReactNode }) {
  return (
    <figure className={classes.block}>
      <figcaption className={classes.head}>
        <span className={classes.title}>{title}</span>
        {note !== undefined && <span className={classes.note}>{note}</span>}
        <CopyButton text={text} what={title.toLowerCase()} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what is longer is scrolled by keys too */}
      <pre className={classes.text} tabIndex={0}>
        {text}
      </pre>
    </figure>
  )
}
