import { Editor } from '@tiptap/core'
import type { Slice } from '@tiptap/pm/model'
import { type ClipboardEvent, useEffect, useReducer, useRef } from 'react'
import { withEndlessAsWords } from '../blocks/edit-mail.ts'
import { clipboardWords, keptSlice } from './paste.ts'
import classes from './prose.module.css'
import { takeOver } from './prose-commands.ts'
import { ProseKeys } from './prose-keys.ts'
import type { ProseNode } from './prose-node.ts'
import { LINE, PROSE } from './prose-schema.ts'
import { ProseTools } from './prose-tools.tsx'
import type { Prose } from './read-prose.ts'
import { withoutLooks } from './without-looks.ts'
import { writeProse } from './write-prose.ts'

type Props = {
  prose: Prose
  /** What it was read from. */
  value: string
  /** One line: a button, a link of a menu. */
  isLine: boolean
  variables: readonly string[]
  /** Liquid that is open is in the content as words: each key is kept, and nothing that follows is taken in. */
  onChange: (content: string, isOpen: boolean) => void
}

/** The words that were copied last, from any block: HTML does not hold each byte of them. */
let copied: { slice: Slice; html: string; isLine: boolean } | undefined

/** Words as they are read, values of the reader among them. Bytes that are not changed stay as they were written. */
export default function ProseEditor({ prose, value, isLine, variables, onChange }: Props) {
  const place = useRef<HTMLDivElement>(null)
  const editor = useRef<Editor>(undefined)
  const [, redraw] = useReducer((count: number) => count + 1, 0)
  const change = useRef(onChange)
  change.current = onChange
  /** What the words that are shown were read from last, and the text that they are now. */
  const read = useRef(prose)
  const written = useRef(value)
  useEffect(() => {
    const made = new Editor({
      element: place.current,
      extensions: [...(isLine ? LINE : PROSE), ProseKeys],
      content: read.current.doc,
      injectCSS: false,
      enablePasteRules: false,
      editorProps: {
        attributes: { class: classes.words!, role: 'textbox', 'aria-multiline': 'true', 'aria-label': 'Text' },
        transformPastedHTML: (html) => withoutLooks(html, isLine),
        clipboardTextParser: (text, $context) => clipboardWords($context.doc.type.schema, text, $context.marks()),
        transformCopied: (slice) => {
          copied = { slice, html: '', isLine }
          return slice
        },
        handlePaste: (view, event) => {
          // A line takes no links from elsewhere: those words come in as HTML.
          const own = isLine && !copied?.isLine ? undefined : copied
          const slice = keptSlice(view.state.schema, own, event.clipboardData?.getData('text/html'))
          if (slice) view.dispatch(view.state.tr.replaceSelection(slice).scrollIntoView())
          return slice !== undefined
        },
      },
      onTransaction: redraw,
      onUpdate: ({ editor: { state } }) => {
        const { lead, tail } = read.current
        const typed = lead + writeProse(state.doc.toJSON() as ProseNode) + tail
        written.current = withEndlessAsWords(typed)
        change.current(written.current, typed !== written.current)
      },
    })
    editor.current = made
    redraw()
    return () => {
      editor.current = undefined
      made.destroy()
    }
  }, [isLine])
  useEffect(() => {
    const made = editor.current
    if (made === undefined || value === written.current) return
    written.current = value
    read.current = prose
    const doc = made.schema.nodeFromJSON(prose.doc)
    made.view.dispatch(takeOver(made.state, doc).setMeta('preventUpdate', true))
  }, [value, prose])
  const keep = ({ clipboardData }: ClipboardEvent) => {
    if (copied) copied.html = clipboardData.getData('text/html')
  }
  return (
    <div className={classes.prose} data-prose>
      {editor.current && <ProseTools editor={editor.current} isLine={isLine} variables={variables} />}
      <div ref={place} onCopy={keep} onCut={keep} />
    </div>
  )
}
