import { countText } from '../../../lib/format.ts'
import { useCan } from '../../../lib/permissions.ts'
import { useAudience } from '../../segments/audience-count.tsx'
import { type GroupNode, textOf } from '../../segments/rule-tree.ts'
import classes from './builder.module.css'
import { asksOfRun, COUNTED_DAYS, countablePart, ruleOfEvent, ruleOfSegment } from './countable-rule.ts'

const NOBODY_ASKED: GroupNode = { combinator: 'and', rules: [] }

/** How many people a rule holds for now, counted while it is written; of what is asked of each when they come, that it is. */
export function RuleHoldsNow({ rule }: { rule: GroupNode }) {
  const found = countablePart(rule)
  if (found === undefined && !asksOfRun(rule)) return null
  if (found === undefined) {
    return <p className={classes.held}>Not counted beforehand: it is asked of each when they come there.</p>
  }
  return (
    <Counted rule={found.part}>
      {(count) =>
        found.isWhole
          ? `${countText(count, 'person fits', 'people fit')} now.`
          : `At most ${countText(count, 'person fits', 'people fit')} now: the rest is asked of each when they come there.`
      }
    </Counted>
  )
}

/** How many people did an event of late, or are in a segment now. */
export function SignalHeldNow({ value }: { value: Readonly<Record<string, unknown>> }) {
  const isSegment = 'segment' in value
  const rule = isSegment ? ruleOfSegment(value.segment) : ruleOfEvent(value)
  if (rule === undefined) return null
  return (
    <Counted rule={rule}>
      {(count) =>
        isSegment
          ? `${countText(count, 'person is', 'people are')} in it now.`
          : `${countText(count, 'person', 'people')} did this in the last ${COUNTED_DAYS} days.`
      }
    </Counted>
  )
}

function Counted({ rule, children }: { rule: GroupNode; children: (count: number) => string }) {
  const mayCount = useCan()('segments:read')
  const { data, error, isOld } = useAudience(textOf(mayCount ? rule : NOBODY_ASKED), mayCount)
  if (!mayCount) return null
  if (error !== null && !isOld) {
    return <p className={classes.held}>Not counted{error.status === 422 ? '' : `: ${error.detail ?? error.title}`}.</p>
  }
  return (
    <p className={classes.held} role="status" data-old={isOld || undefined}>
      {data === undefined ? 'Counting…' : children(data.count)}
    </p>
  )
}
