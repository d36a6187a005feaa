import { useId, useMemo } from 'react'
import { useSite } from '../../../lib/use-site.ts'
import { Select } from '../../../ui/controls.tsx'
import classes from './blocks.module.css'
import { isWhole } from './edit-mail.ts'
import { HeldField } from './held-field.tsx'
import { coloursOf, fontName, fontsOf, hasFallback, sixDigits } from './mail-looks.ts'

type Props = { label: string; value: string; source: string; onChange: (value: string) => void }

const SIX_DIGITS = /^#[0-9a-f]{6}$/i
const BRAND_STALE_MS = 300_000

/** A colour: typed, chosen by eye, or the workspace's own or one that the mail has already. */
export function ColourField({ label, value, source, onChange }: Props) {
  const id = useId()
  const workspace = useSite('GET /', {}, { staleMs: BRAND_STALE_MS })
  const used = useMemo(() => coloursOf(source), [source])
  const brand = workspace.data?.color?.toLowerCase()
  const swatches = [
    ...(brand ? [{ colour: brand, name: `${label}: the colour of the workspace, ${brand}` }] : []),
    ...used
      .filter((colour) => colour !== brand)
      .map((colour) => ({ colour, name: `${label}: ${colour}, as elsewhere in the mail` })),
  ]
  const shown = sixDigits(value)
  return (
    <div className={classes.colourField}>
      <div className={classes.colour}>
        <HeldField label={label} value={value} placeholder="as the mail has it" fits={isWhole} onChange={onChange} />
        <label htmlFor={id} className="visually-hidden">
          {label}, chosen by eye
        </label>
        <input
          id={id}
          type="color"
          value={SIX_DIGITS.test(shown) ? shown : `#${'f'.repeat(6)}`}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      </div>
      {swatches.length > 0 && (
        <div className={classes.swatches}>
          {swatches.map(({ colour, name }) => (
            <button
              key={colour}
              type="button"
              className={classes.swatch}
              aria-label={name}
              title={name}
              aria-pressed={shown.toLowerCase() === colour}
              style={{ backgroundColor: colour }}
              onClick={() => onChange(colour)}
            />
          ))}
        </div>
      )}
    </div>
  )
}

/** A font: those of the mail, and those that every machine has, each with what stands in for it. */
export function FontField({ label, value, source, onChange }: Props) {
  const fonts = useMemo(() => fontsOf(source), [source])
  const all = value === '' || fonts.includes(value) ? fonts : [value, ...fonts]
  return (
    <Select
      id="block-font-family"
      label={label}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      options={[
        { value: '', label: 'That of the mail' },
        ...all.map((font) => ({ value: font, label: fontName(font) })),
      ]}
      error={!hasFallback(value) && 'Nothing stands in for it where it is missing: end it with serif or sans-serif.'}
    />
  )
}
