import type { Editor } from '@tiptap/core'
import { type Command, NodeSelection } from '@tiptap/pm/state'
import { type ReactNode, useState } from 'react'
import { ActSelect } from '../../../ui/act-select.tsx'
import { Button } from '../../../ui/controls.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { isWhole } from '../blocks/edit-mail.ts'
import { HeldField } from '../blocks/held-field.tsx'
import { addressOf } from './link-address.ts'
import classes from './prose.module.css'
import { insertValue, type ListKind, linkAt, listAround, removeLink, setLink, toggleList } from './prose-commands.ts'
import { simpleValue, valueText } from './value-text.ts'

type Props = { editor: Editor; isLine: boolean; variables: readonly string[] }

/** What can be done with the words that are chosen, and with the value or link that the caret is at. */
export function ProseTools({ editor, isLine, variables }: Props) {
  const [isLinking, setLinking] = useState(false)
  const { state, view } = editor
  const run = (command: Command) => {
    command(view.state, view.dispatch)
    view.focus()
  }
  const list = listAround(state.selection.$from)?.node.type.name
  const href = linkAt(state)
  const value = selectedValue(editor)
  const listButton = (kind: ListKind, label: string, sign: ReactNode) => (
    <Tool label={label} pressed={list === kind} onClick={() => run(toggleList(kind))}>
      {sign}
    </Tool>
  )
  return (
    <>
      <div className={classes.tools} role="toolbar" aria-label="Words">
        <Tool
          label="Bold"
          pressed={editor.isActive('bold')}
          onClick={() => editor.chain().focus().toggleMark('bold').run()}
        >
          <b>B</b>
        </Tool>
        <Tool
          label="Italic"
          pressed={editor.isActive('italic')}
          onClick={() => editor.chain().focus().toggleMark('italic').run()}
        >
          <i>I</i>
        </Tool>
        {(!isLine || href !== undefined) && (
          <Tool label="Link" pressed={href !== undefined} onClick={() => setLinking(!isLinking)}>
            <u>Link</u>
          </Tool>
        )}
        {!isLine && (
          <>
            {listButton('bullets', 'List', '• List')}
            {listButton('numbers', 'Numbered list', '1. List')}
          </>
        )}
        <ActSelect
          label="Insert a value of the reader"
          hideLabel
          asks="Insert a value"
          options={variables.map((variable) => ({ value: variable, label: variable }))}
          onTake={(variable) => run(insertValue(`{{ ${variable} }}`))}
        />
      </div>
      {isLinking && (
        <LinkForm
          key={href ?? ''}
          href={href}
          onSet={(to) => {
            setLinking(false)
            run(setLink(to))
          }}
          onRemove={() => {
            setLinking(false)
            run(removeLink)
          }}
        />
      )}
      {value && (
        <ValueForm
          key={value.pos}
          raw={value.raw}
          onChange={(raw) => {
            const { tr } = view.state
            tr.setNodeAttribute(value.pos, 'raw', raw)
            view.dispatch(tr.setSelection(NodeSelection.create(tr.doc, value.pos)))
          }}
        />
      )}
    </>
  )
}

type ToolProps = { label: string; pressed: boolean; onClick: () => void; children: ReactNode }

function Tool({ label, pressed, onClick, children }: ToolProps) {
  return (
    <Button
      small
      kind="quiet"
      aria-label={label}
      title={label}
      aria-pressed={pressed}
      // The words keep the focus, and what is chosen of them.
      onMouseDown={(event) => event.preventDefault()}
      onClick={onClick}
    >
      {children}
    </Button>
  )
}

function selectedValue({ state: { selection } }: Editor): { pos: number; raw: string } | undefined {
  if (!(selection instanceof NodeSelection) || selection.node.type.name !== 'value') return undefined
  return { pos: selection.from, raw: String(selection.node.attrs.raw) }
}

type LinkProps = { href: string | undefined; onSet: (href: string) => void; onRemove: () => void }

function LinkForm({ href, onSet, onRemove }: LinkProps) {
  const [address, setAddress] = useState(href ?? '')
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault()
        if (isWhole(address)) onSet(addressOf(address))
      }}
    >
      <TextField
        label="Address"
        value={address}
        placeholder="https://www.example.com"
        required
        autoFocus
        error={!isWhole(address) && 'A value in it is still open.'}
        onChange={(event) => setAddress(event.currentTarget.value)}
      />
      <div className={classes.acts}>
        <Button small type="submit">
          {href === undefined ? 'Link' : 'Change'}
        </Button>
        {href !== undefined && (
          <Button small kind="quiet" onClick={onRemove}>
            Remove the link
          </Button>
        )}
      </div>
    </form>
  )
}

/** A value of the reader: what is said when it is empty, or, for more than that, its Liquid. */
function ValueForm({ raw, onChange }: { raw: string; onChange: (raw: string) => void }) {
  const simple = simpleValue(raw)
  if (simple === undefined) {
    return (
      <div className={classes.form}>
        <HeldField label="Liquid" value={raw} fits={isLiquid} onChange={onChange} />
      </div>
    )
  }
  const otherwise = (text: string) => valueText({ ...simple, otherwise: text })
  return (
    <div className={classes.form}>
      <HeldField
        label={`When ${simple.name} is empty, say`}
        value={simple.otherwise}
        placeholder="nothing"
        fits={(text) => otherwise(text) !== undefined}
        onChange={(text) => onChange(otherwise(text)!)}
      />
    </div>
  )
}

const isLiquid = (text: string) => /^\{(?:\{.*\}|%.*%)\}$/s.test(text) && isWhole(text)
