import { numberText } from '../../../lib/format.ts'
import type { AutomationExplanation } from '../../../lib/site-types.ts'
import { RelativeTime } from '../../../ui/relative-time.tsx'
import { refusalText } from '../automation-words.ts'
import classes from '../automations.module.css'
import { valuesText } from './decision-words.ts'

/** Why somebody did not come in, the last time, with what the filter or the rule asked for. */
export function ToldRefusal({ entry }: { entry: AutomationExplanation['entries'][number] }) {
  const { refusal, refusedAt, refusals, refusedEvent, values, entryKey } = entry
  if (refusal === null || refusedAt === null) return null
  const seen = valuesText(values)
  return (
    <li className={classes.refusal}>
      <p>
        <strong>Did not come in{refusedEvent === null ? '' : ` by ${refusedEvent}`}</strong>{' '}
        <span className="soft">
          <RelativeTime at={refusedAt} absolute />
        </span>
      </p>
      <p>
        Because {refusalText(refusal)}
        {entryKey !== '' && `, of “${entryKey}”`}
        {refusals > 1 && `; ${numberText(refusals)} times in all`}.
      </p>
      {seen !== '' && <p className={classes.values}>It asks for {seen}</p>}
    </li>
  )
}
