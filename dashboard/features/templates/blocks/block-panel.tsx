import { useState } from 'react'
import { lazyPart } from '../../../lib/load-part.ts'
import { Button, Select } from '../../../ui/controls.tsx'
import { PhotoIcon } from '../../../ui/rare-icons.tsx'
import { type BlockField, fieldsOf } from './block-fields.ts'
import { blockName } from './block-kinds.ts'
import { BlockText } from './block-text.tsx'
import classes from './blocks.module.css'
import { type Edit, isWhole, setAttribute } from './edit-mail.ts'
import { HeldField } from './held-field.tsx'
import { ColourField, FontField } from './look-fields.tsx'
import { attributeOf, type Block, contentOf, holdsText, type Mail } from './read-mail.ts'

const AssetDialog = lazyPart(() => import('../../assets/asset-dialog.tsx'))

type Props = {
  mail: Mail
  block: Block
  variables: readonly string[]
  onEdit: (edit: Edit) => void
  onWords: (content: string) => void
}

/** The chosen block: its words and how it looks. What is left empty is as the mail has it. */
export function BlockPanel({ mail, block, variables, onEdit, onWords }: Props) {
  const hasWords = holdsText(block.name) && !WORDLESS.has(block.name)
  return (
    <section className={classes.panel} aria-label={`${blockName(block.name)}, chosen`}>
      {hasWords && (
        <BlockText name={block.name} value={contentOf(mail, block)} variables={variables} onChange={onWords} />
      )}
      <div className={classes.fields}>
        {fieldsOf(block.name).map((field) => (
          <AttributeField
            key={field.attribute}
            field={field}
            source={mail.source}
            value={shownValue(block, field.attribute)}
            onChange={(value) => onEdit(setAttribute(block, field.attribute, value === '' ? null : value))}
          />
        ))}
      </div>
    </section>
  )
}

const WORDLESS = new Set(['mj-image', 'mj-divider', 'mj-spacer', 'mj-carousel-image'])

function shownValue(block: Block, name: string): string {
  const { value = '', quote = '' } = attributeOf(block, name) ?? {}
  return quote === '' ? value : value.replaceAll(quote === '"' ? '&quot;' : '&#39;', quote)
}

type FieldProps = { field: BlockField; source: string; value: string; onChange: (value: string) => void }

function AttributeField({ field, source, value, onChange }: FieldProps) {
  const { label, as, otherwise } = field
  if (as === 'colour') return <ColourField {...{ label, value, source, onChange }} />
  if (as === 'font') return <FontField {...{ label, value, source, onChange }} />
  if (as === 'picture') return <PictureField label={label} value={value} onChange={onChange} />
  if (as === 'line') {
    return <HeldField label={label} value={value} placeholder={otherwise} fits={isWhole} onChange={onChange} />
  }
  const options = as.includes(value) || value === '' ? as : [...as, value]
  return (
    <Select
      id={`block-${field.attribute}`}
      label={label}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      options={[{ value: '', label: 'As in the mail' }, ...options.map((one) => ({ value: one, label: one }))]}
    />
  )
}

type ValueProps = { label: string; value: string; onChange: (value: string) => void }

/** The address of a picture, or one of those that the workspace keeps. */
function PictureField({ label, value, onChange }: ValueProps) {
  const [isChoosing, setChoosing] = useState(false)
  return (
    <div className={classes.picture}>
      <HeldField label={label} value={value} placeholder="https://" fits={isWhole} onChange={onChange} />
      <Button small icon={PhotoIcon} onClick={() => setChoosing(true)}>
        Choose an image
      </Button>
      {isChoosing && (
        <AssetDialog
          onClose={() => setChoosing(false)}
          onPick={(url) => {
            setChoosing(false)
            onChange(url)
          }}
        />
      )}
    </div>
  )
}
