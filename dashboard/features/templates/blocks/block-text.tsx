import { useMemo, useRef, useState } from 'react'
import { lazyPart } from '../../../lib/load-part.ts'
import { ActSelect } from '../../../ui/act-select.tsx'
import { Button } from '../../../ui/controls.tsx'
import { Loading } from '../../../ui/states.tsx'
import { TextArea } from '../../../ui/text-area.tsx'
import { readProse } from '../prose/read-prose.ts'
import classes from './blocks.module.css'
import { isWholeContent } from './edit-mail.ts'
import { useHeld } from './held-field.tsx'

const ProseEditor = lazyPart(
  () => import('../prose/prose-editor.tsx'),
  <Loading rows={3} label="The text is loading" />,
)

const MARKS = [
  { name: 'Bold', before: '<b>', after: '</b>' },
  { name: 'Italic', before: '<i>', after: '</i>' },
  { name: 'Link', before: '<a href="https://">', after: '</a>' },
  { name: 'New line', before: '<br />', after: '' },
] as const

/** Blocks whose words are prose, and those of which they are one line. Others are HTML of their own kind. */
const PROSE = new Set(['mj-text', 'mj-accordion-text'])
const LINE = new Set(['mj-button', 'mj-social-element', 'mj-navbar-link', 'mj-accordion-title'])

type Props = {
  name: string
  value: string
  /** Names of values that a reader has. */
  variables: readonly string[]
  onChange: (content: string) => void
}

/** The words of a block: as they are read where they can be shown so and kept to the byte, else as they are written. */
export function BlockText({ name, value, variables, onChange }: Props) {
  const isLine = LINE.has(name)
  const isProse = isLine || PROSE.has(name)
  const prose = useMemo(() => (isProse ? readProse(value, isLine) : undefined), [value, isLine, isProse])
  const [isOpen, setOpen] = useState(false)
  if (prose === undefined) {
    const why = isProse && 'These words hold something that only the code can show exactly: here they are as written.'
    return <WrittenText {...{ name, value, variables, onChange }} description={why || undefined} />
  }
  const take = (content: string, hasOpen: boolean) => {
    setOpen(hasOpen)
    onChange(content)
  }
  return (
    <div className={classes.text}>
      <p className="field-label">Text</p>
      <ProseEditor prose={prose} value={value} isLine={isLine} variables={variables} onChange={take} />
      {isOpen && <p className="soft">Brackets that are still open are words in the mail.</p>}
    </div>
  )
}

const HELD = 'Not in the mail yet: something in it is still open.'

/** Words as they are written, with what is most often put around some of them. */
function WrittenText({ name, value, variables, description, onChange }: Props & { description: string | undefined }) {
  const area = useRef<HTMLTextAreaElement>(null)
  const { shown, isHeld, change } = useHeld(value, (text) => isWholeContent(name, text), onChange)
  const put = (before: string, after: string) => {
    const { selectionStart, selectionEnd } = area.current!
    const words = shown.slice(selectionStart, selectionEnd)
    change(shown.slice(0, selectionStart) + before + words + after + shown.slice(selectionEnd))
    const caret = selectionStart + before.length
    requestAnimationFrame(() => {
      area.current?.focus()
      area.current?.setSelectionRange(caret, caret + words.length)
    })
  }
  return (
    <div className={classes.text}>
      <TextArea
        ref={area}
        label="Text"
        description={description}
        value={shown}
        error={isHeld && HELD}
        onChange={(event) => change(event.currentTarget.value)}
      />
      <div className={classes.marks}>
        {MARKS.map(({ name: mark, before, after }) => (
          <Button key={mark} small kind="quiet" onClick={() => put(before, after)}>
            {mark}
          </Button>
        ))}
        <ActSelect
          label="Insert a value of the reader"
          hideLabel
          asks="Insert a value"
          options={variables.map((variable) => ({ value: variable, label: variable }))}
          onTake={(variable) => put(`{{ ${variable} }}`, '')}
        />
      </div>
    </div>
  )
}
