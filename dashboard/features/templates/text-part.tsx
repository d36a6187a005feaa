import { Switch } from '../../ui/switch.tsx'
import { TextArea } from '../../ui/text-area.tsx'
import type { Preview } from './use-preview.ts'

const TEXT_CHARS_MAX = 200_000

type Props = {
  value: string | null
  onChange: (text: string | null) => void
  preview: Preview
  readOnly?: boolean
}

/** The text part: made of the mail, or written; writing begins with what was made. */
export function TextPart({ value, onChange, preview, readOnly = false }: Props) {
  const made = (preview.preview?.text ?? '').slice(0, TEXT_CHARS_MAX)
  return (
    <>
      {!readOnly && (
        <Switch
          label="Write the text part myself"
          description="For readers without HTML. Otherwise it is made of the mail."
          checked={value !== null}
          onChange={(event) => onChange(event.currentTarget.checked ? made : null)}
        />
      )}
      {value !== null && (
        <TextArea
          label="Text part"
          value={value}
          maxLength={TEXT_CHARS_MAX}
          readOnly={readOnly}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </>
  )
}
