import { Checkbox, Select } from '../../ui/controls.tsx'
import { TextField } from '../../ui/text-field.tsx'
import classes from './forms.module.css'

/** When a form shows itself; texts of whole numbers, empty where that is no reason. */
export type DisplayRules = {
  how: '' | 'popup' | 'slide-in'
  after: string
  scroll: string
  exit: boolean
  every: string
}

export const IN_PLACE: DisplayRules = { how: '', after: '10', scroll: '', exit: false, every: '30' }

const HOW = [
  { value: '', label: 'Where the code stands' },
  { value: 'popup', label: 'As a pop-up over the page' },
  { value: 'slide-in', label: 'Sliding in at its corner' },
]

/** Where a form appears on a site and when: what stands in its code. */
export function DisplayRulesFields({
  rules,
  onChange,
}: {
  rules: DisplayRules
  onChange: (rules: DisplayRules) => void
}) {
  const number = (name: 'after' | 'scroll' | 'every', label: string, max: number) => (
    <TextField
      label={label}
      type="number"
      min={0}
      max={max}
      value={rules[name]}
      onChange={({ currentTarget }) => onChange({ ...rules, [name]: currentTarget.value })}
    />
  )
  return (
    <div className={classes.rules}>
      <Select
        label="Where it appears"
        value={rules.how}
        options={HOW}
        onChange={({ currentTarget }) => onChange({ ...rules, how: currentTarget.value as DisplayRules['how'] })}
      />
      {rules.how !== '' && (
        <>
          {number('after', 'After seconds', 3_600)}
          {number('scroll', 'Or once scrolled to percent', 100)}
          {number('every', 'Once in days', 400)}
          <Checkbox
            label="Or when the pointer leaves the page"
            checked={rules.exit}
            onChange={({ currentTarget }) => onChange({ ...rules, exit: currentTarget.checked })}
          />
        </>
      )}
    </div>
  )
}

/** The code with the rules in it; `script` is that of a form in its place. */
export function codeWith(script: string, { how, after, scroll, exit, every }: DisplayRules): string {
  if (how === '') return script
  const isNumber = (text: string) => /^\d{1,4}$/.test(text)
  const rules = [
    `data-show="${how}"`,
    ...(isNumber(after) ? [`data-after="${after}"`] : []),
    ...(isNumber(scroll) ? [`data-scroll="${scroll}"`] : []),
    ...(exit ? ['data-exit'] : []),
    ...(isNumber(every) ? [`data-every="${every}"`] : []),
  ]
  return script.replace('></div>', ` ${rules.join(' ')}></div>`)
}
