import { useRef } from 'react'
import { Button, Select } from '../../../ui/controls.tsx'
import { TextArea } from '../../../ui/text-area.tsx'
import classes from './blocks.module.css'
import { isWholeContent } from './edit-mail.ts'
import { useHeld } from './held-field.tsx'

const MARKS = [
  { name: 'Bold', before: '<b>', after: '</b>' },
  { name: 'Italic', before: '<i>', after: '</i>' },
  { name: 'Link', before: '<a href="https://">', after: '</a>' },
  { name: 'New line', before: '<br />', after: '' },
] as const

type Props = {
  name: string
  value: string
  /** Names of values that a reader has. */
  variables: readonly string[]
  onChange: (content: string) => void
}

/** The words of a block, with what is most often put around some of them. */
export function BlockText({ name, value, variables, onChange }: Props) {
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
        value={shown}
        error={isHeld && 'Not in the mail yet: something in it is still open.'}
        onChange={(event) => change(event.currentTarget.value)}
      />
      <div className={classes.marks}>
        {MARKS.map(({ name: mark, before, after }) => (
          <Button key={mark} small kind="quiet" onClick={() => put(before, after)}>
            {mark}
          </Button>
        ))}
        <Select
          label="Insert a value of the reader"
          hideLabel
          value=""
          onChange={(event) => put(`{{ ${event.currentTarget.value} }}`, '')}
          options={[
            { value: '', label: 'Insert a value', disabled: true },
            ...variables.map((variable) => ({ value: variable, label: variable })),
          ]}
        />
      </div>
    </div>
  )
}
