import { redo, redoDepth, undo, undoDepth } from '@codemirror/commands'
import { EditorView } from '@codemirror/view'
import { type KeyboardEvent, type ReactNode, type SyntheticEvent, useEffect, useMemo, useRef, useState } from 'react'
import { useUrlState } from '../../lib/use-url-state.ts'
import { Button, IconButton } from '../../ui/controls.tsx'
import { ArrowBackIcon, ArrowForwardIcon } from '../../ui/icons.tsx'
import type { Side } from '../../ui/mail-glass.tsx'
import { say } from '../../ui/toasts.tsx'
import { imageIn, useUpload } from '../assets/use-upload.ts'
import { firstMail } from './blocks/block-kinds.ts'
import { blockOnLine } from './blocks/block-on-line.ts'
import { choosing, chosenBlock, editing } from './blocks/chosen-block.ts'
import { type Edit, isWhole, moveBlock, placeAt, setContent } from './blocks/edit-mail.ts'
import { HeldField } from './blocks/held-field.tsx'
import { MailBlocks, withImage } from './blocks/mail-blocks.tsx'
import { previewTextOf, setPreviewText } from './blocks/preview-text.ts'
import { blockAt, type MailReading, readMail } from './blocks/read-mail.ts'
import { useBrand } from './blocks/use-brand.ts'
import { CodeEditor, type LineFault } from './code-editor.tsx'
import { MailFaults } from './mail-faults.tsx'
import { ALWAYS } from './merge-completions.ts'
import classes from './templates.module.css'
import type { ChosenBlock } from './use-chosen-block.ts'

type Props = {
  value: string
  onChange: (value: string) => void
  faults: readonly LineFault[]
  readOnly: boolean
  variables: readonly string[]
  blocks: ChosenBlock
  hints: ReactNode
}

const WHY_CODE: Readonly<Record<Exclude<MailReading['is'], 'blocks'>, string>> = {
  empty: 'There is no mail yet.',
  html: 'This mail is written in HTML. It has no blocks, and stays as it is.',
  broken:
    'An element of this mail is not closed where it has to be. Mend it in the code, then its blocks are here again.',
}

/** Blocks that stand beside each other; all others follow one another. */
const ACROSS = new Set(['mj-column', 'mj-group'])

/** The history's step that these keys stand for. */
function undoing({ key, ctrlKey, metaKey, shiftKey, altKey }: KeyboardEvent) {
  if (!(ctrlKey || metaKey) || altKey) return undefined
  const name = key.toLowerCase()
  if (name === 'z') return shiftKey ? redo : undo
  return name === 'y' ? redo : undefined
}

/**
 * A mail in two views of one text: its blocks, and its code. Each act on a block is a change of the text that touches nothing
 * else, in the one history that undo goes back through.
 */
export default function MailEditor({ value, onChange, faults, readOnly, variables, blocks, hints }: Props) {
  const [{ write }, setUrl] = useUrlState({ write: 'blocks' })
  const editor = useRef<EditorView>(undefined)
  const [steps, setSteps] = useState({ undo: 0, redo: 0 })
  const isCode = readOnly || write === 'code'
  const reading = useMemo<MailReading>(() => (isCode ? { is: 'empty' } : readMail(value)), [value, isCode])
  const { chosen } = blocks
  useEffect(() => {
    const view = editor.current
    if (view === undefined || view.state.field(chosenBlock) === chosen) return
    const anchor = Math.min(chosen ?? 0, view.state.doc.length)
    view.dispatch(choosing(chosen))
    if (isCode && chosen !== null)
      view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) })
  }, [chosen, isCode])
  useEffect(() => {
    if (isCode) editor.current?.requestMeasure()
  }, [isCode])
  const upload = useUpload()
  const { fontFamily } = useBrand()
  const take = async (event: SyntheticEvent, data: DataTransfer | null) => {
    if (readOnly || !data?.types.includes('Files')) return
    // The browser would leave the page for any other file.
    event.preventDefault()
    const file = imageIn(data)
    if (file === undefined) return say('That is no image of a mail: PNG, JPEG, GIF and WebP are.')
    const asset = await upload(file)
    const now = mailNow()
    if (asset && now) act(withImage(now, blockAt(now, chosen), asset.url))
  }
  const act = (edit: Edit) => editor.current?.dispatch(editing(editor.current.state, edit))
  // Keys may come faster than pages are drawn: blocks are looked for in the text that is there.
  const mailNow = () => {
    const now = readMail(editor.current?.state.doc.toString() ?? '')
    return now.is === 'blocks' ? now.mail : undefined
  }
  const sayInBlock = (content: string) => {
    const now = mailNow()
    const block = now && blockAt(now, editor.current!.state.field(chosenBlock))
    if (now && block) act(setContent(now, block, content))
  }
  const dragged = (begin: number, target: number, side: Side) => {
    const now = mailNow()
    const [block, beside] = now ? [blockAt(now, begin), blockAt(now, target)] : []
    const place = now && block && beside && placeAt(now, block, beside, side)
    return place && { block, edit: moveBlock(now, block, place) }
  }
  useEffect(() => {
    blocks.editor.current = readOnly
      ? undefined
      : {
          fits: (...of) => {
            const found = dragged(...of)
            return found?.edit && (ACROSS.has(found.block.name) ? 'across' : 'down')
          },
          move: (...of) => {
            const edit = dragged(...of)?.edit
            if (edit) act(edit)
          },
          showLine(line) {
            const now = isCode ? undefined : mailNow()
            const view = editor.current
            if (now) blocks.choose(blockOnLine(now, line)?.begin ?? chosen)
            else if (view && line <= view.state.doc.lines) {
              const anchor = view.state.doc.line(line).from
              view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) })
            }
          },
        }
  })
  const onKeyDown = (event: KeyboardEvent) => {
    const by = (event.target as Element).closest('input, textarea, select, .cm-editor') ? undefined : undoing(event)
    if (by === undefined || editor.current === undefined || readOnly) return
    event.preventDefault()
    by(editor.current)
  }
  const names = [...new Set([...ALWAYS, ...variables])]
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a second way; the picture's own form has a button
    <div
      onKeyDown={onKeyDown}
      // Office programs put a picture of copied text beside it.
      onPaste={(event) => !event.clipboardData.types.includes('text/plain') && void take(event, event.clipboardData)}
      onDragOver={(event) => event.dataTransfer.types.includes('Files') && event.preventDefault()}
      onDrop={(event) => void take(event, event.dataTransfer)}
    >
      {!readOnly && (
        <div className={classes.views}>
          <fieldset className={classes.choice}>
            <legend className="visually-hidden">How to write it</legend>
            <Button
              small
              kind="quiet"
              aria-pressed={!isCode}
              onClick={() => setUrl({ write: 'blocks' }, { replace: true })}
            >
              Blocks
            </Button>
            <Button
              small
              kind="quiet"
              aria-pressed={isCode}
              onClick={() => setUrl({ write: 'code' }, { replace: true })}
            >
              Code
            </Button>
          </fieldset>
          <IconButton
            label="Undo"
            icon={ArrowBackIcon}
            disabled={steps.undo === 0}
            onClick={() => editor.current && undo(editor.current)}
          />
          <IconButton
            label="Redo"
            icon={ArrowForwardIcon}
            disabled={steps.redo === 0}
            onClick={() => editor.current && redo(editor.current)}
          />
        </div>
      )}
      {!isCode && reading.is === 'blocks' && (
        <div className={classes.previewText}>
          <HeldField
            label="Preview text"
            value={previewTextOf(reading.mail)}
            placeholder="If empty: the first words of the mail"
            fits={isWhole}
            onChange={(words) => {
              const now = mailNow()
              if (now) editor.current?.dispatch({ changes: setPreviewText(now, words), userEvent: 'input.type' })
            }}
          />
        </div>
      )}
      {!isCode && reading.is === 'blocks' && (
        <MailBlocks
          mail={reading.mail}
          chosen={chosen}
          variables={names}
          onEdit={act}
          onWords={sayInBlock}
          onChoose={(begin) => blocks.choose(begin)}
        />
      )}
      {!isCode && reading.is !== 'blocks' && (
        <div className={classes.noBlocks}>
          <p>{WHY_CODE[reading.is]}</p>
          {reading.is === 'empty' ? (
            <Button
              onClick={() => {
                const insert = firstMail(fontFamily)
                act({ changes: [{ from: 0, to: value.length, insert }], chosen: insert.indexOf('<mj-text>') })
              }}
            >
              Begin with a letter
            </Button>
          ) : (
            <Button onClick={() => setUrl({ write: 'code' }, { replace: true })}>Show the code</Button>
          )}
        </div>
      )}
      <div hidden={!isCode}>
        <CodeEditor
          label="Mail, MJML or HTML with Liquid"
          value={value}
          onChange={(body) => {
            const { state } = editor.current!
            setSteps({ undo: undoDepth(state), redo: redoDepth(state) })
            onChange(body)
          }}
          faults={faults}
          readOnly={readOnly}
          variables={variables}
          onEditor={(view) => {
            editor.current = view
          }}
          onChoose={blocks.choose}
        />
      </div>
      <MailFaults
        faults={faults}
        mail={!isCode && reading.is === 'blocks' ? reading.mail : undefined}
        onChoose={blocks.choose}
        hints={hints}
      />
    </div>
  )
}
