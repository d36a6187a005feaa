import { countText } from '../../../lib/format.ts'
import { useCan } from '../../../lib/permissions.ts'
import type { AutomationRunStep } from '../../../lib/site-types.ts'
import { CheckIcon, XIcon } from '../../../ui/icons.tsx'
import { Link } from '../../../ui/link.tsx'
import { ToldText } from '../../../ui/told-text.tsx'
import { skipText } from '../automation-words.ts'
import classes from '../automations.module.css'
import { text } from '../flow-node.ts'
import type { StepNames } from '../step-names.ts'
import { rulesAsked, valuesText, variablesText } from './decision-words.ts'

type Props = {
  step: Pick<AutomationRunStep, 'node' | 'seen'>
  names: StepNames
  /** A mail's fate in a sentence, where it waits or was not sent. */
  fates?: ReadonlyMap<string, string>
}

/** All that decided at a step, in words: rules with the values they asked for, a mail with its link, variables. */
export function StepSeen({ step: { node, seen }, names, fates }: Props) {
  const can = useCan()
  if (seen === null) return null
  const rules = rulesAsked(node === null ? undefined : names.node(node), seen, names.nameOf)
  const values = valuesText(seen.values)
  const variables = variablesText(seen)
  const messageId = text(seen.messageId)
  const fate = fates?.get(messageId)
  return (
    <div className={classes.seen}>
      {rules.length > 0 && (
        <ul className={classes.rules}>
          {rules.map(({ rule, holds }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rules are asked in their order, once each
            <li key={at} data-holds={holds || undefined}>
              {holds ? <CheckIcon size={14} /> : <XIcon size={14} />}
              <span>
                <span className="visually-hidden">{holds ? 'Holds: ' : 'Does not hold: '}</span>
                {rule}
              </span>
            </li>
          ))}
        </ul>
      )}
      {values !== '' && <p className={classes.values}>By then {values}</p>}
      {typeof seen.skipped === 'string' && <p>{skippedText(seen.skipped)}</p>}
      {messageId !== '' && (
        <p>
          {fate !== undefined && (
            <>
              <ToldText>{fate}</ToldText>{' '}
            </>
          )}
          {can('contacts:read') && <Link to={`/messages/${messageId}`}>The mail</Link>}
        </p>
      )}
      {variables !== '' && <p>{variables}</p>}
      {typeof seen.members === 'number' && <p>{countText(seen.members, 'member')} to be told</p>}
      {typeof seen.moment === 'string' && (
        <p>
          {text(seen.date)}: <ToldText>{seen.moment}</ToldText>
        </p>
      )}
    </div>
  )
}

const skippedText = (reason: string) =>
  reason === 'by_hand'
    ? 'Somebody had them go past it.'
    : `Not mailed: ${reason === 'too_late' ? 'it was too late' : skipText(reason)}`
