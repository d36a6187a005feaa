import classes from './imports.module.css'

type Consent = 'confirmed' | 'unconfirmed'
const CHOICES: readonly { value: Consent; words: string; follows: string }[] = [
  {
    value: 'confirmed',
    words: 'Yes, everybody in it agreed',
    follows: 'They get marketing mail. That they were told by an import stays with each of them.',
  },
  {
    value: 'unconfirmed',
    words: 'No, or I do not know',
    follows: 'They are contacts. With double opt-in they get no marketing mail before they have confirmed it.',
  },
]

/** Whether the people of a file agreed to marketing mail, where their row does not say it. Nothing is chosen before. */
export function ConsentChoice({
  chosen,
  onChange,
}: {
  chosen: Consent | undefined
  onChange: (consent: Consent) => void
}) {
  return (
    <fieldset className={classes.consent}>
      <legend>Did these people agree to get your mail?</legend>
      {CHOICES.map(({ value, words, follows }) => (
        <label key={value} className={classes.choice}>
          <input
            type="radio"
            name="consent"
            value={value}
            checked={chosen === value}
            onChange={() => onChange(value)}
          />
          <strong>{words}</strong>
          <span>{follows}</span>
        </label>
      ))}
    </fieldset>
  )
}
