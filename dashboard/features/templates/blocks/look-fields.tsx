import { useId, useMemo } from 'react'
import { Select } from '../../../ui/controls.tsx'
import classes from './blocks.module.css'
import { isWhole } from './edit-mail.ts'
import { HeldField } from './held-field.tsx'
import { brandColours, coloursOf, fontName, fontsOf, hasFallback, sixDigits } from './mail-looks.ts'
import { useBrand } from './use-brand.ts'

type Props = { label: string; value: string; source: string; onChange: (value: string) => void }

const SIX_DIGITS = /^#[0-9a-f]{6}$/i

/** A colour: typed, chosen by eye, one of the workspace's or one that the mail has already. */
export function ColourField({ label, value, source, onChange }: Props) {
  const id = useId()
  const brand = brandColours(useBrand())
  const used = useMemo(() => coloursOf(source), [source])
  const swatches = [
    ...brand.map(({ color, name }) => ({ colour: color, name: `${label}: ${name} of the workspace, ${color}` })),
    ...used
      .filter((colour) => brand.every(({ color }) => color !== colour))
      .map((colour) => ({ colour, name: `${label}: ${colour}, as elsewhere in the mail` })),
  ]
  const shown = sixDigits(value)
  return (
    <div className={classes.colourField}>
      <div className={classes.colour}>
        <HeldField label={label} value={value} placeholder="as in the mail" fits={isWhole} onChange={onChange} />
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

/** A font: the workspace's, those of the mail, and those that every machine has, each with what stands in for it. */
export function FontField({ label, value, source, onChange }: Props) {
  const brand = useBrand()
  const fonts = useMemo(() => fontsOf(source, brand), [source, brand])
  const all = value === '' || fonts.includes(value) ? fonts : [value, ...fonts]
  return (
    <Select
      id="block-font-family"
      label={label}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      options={[
        { value: '', label: 'As in the mail' },
        ...all.map((font) => ({
          value: font,
          label: font === brand.fontFamily ? `${fontName(font)}, of the workspace` : fontName(font),
        })),
      ]}
      error={!hasFallback(value) && 'Nothing stands in for it where it is missing: end it with serif or sans-serif.'}
    />
  )
}
