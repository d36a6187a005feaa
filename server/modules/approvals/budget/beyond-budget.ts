import { quietAt } from '../../sending/restraint/quiet-hours.ts'
import type { ApprovalRow } from '../approval-queries.ts'
import type { Budget, SendPolicy } from './schemas.ts'

type Asked = Pick<ApprovalRow, 'act' | 'recipientsCount' | 'scheduledAt'> & {
  plan: Pick<ApprovalRow['plan'], 'segments'>
}
type Given = { budget: Budget; spent: SendPolicy['spent']; asked: Asked; now: number }

/** The first reason for which a person has to be asked, in a sentence; undefined where the budget covers it. */
export function beyondBudget({ budget, spent, asked, now }: Given): string | undefined {
  const { act, recipientsCount, scheduledAt } = asked
  if (act === 'automation') return 'Nobody can tell how many people an automation will write to.'
  // A broadcast is judged again when its time comes; a mail that is queued for later would go out whatever became of the budget.
  if (act === 'email' && scheduledAt !== null)
    return 'A mail to one contact at a time to come is for a person to decide.'
  if (recipientsCount > budget.recipientsPerSend)
    return `It has ${recipientsCount} people, and the budget has ${budget.recipientsPerSend} a send.`
  if (spent.recipients + recipientsCount > budget.recipientsPerDay)
    return `It has ${recipientsCount} people, and of ${budget.recipientsPerDay} in 24 hours ${spent.recipients} are spent.`
  if (spent.sends + 1 > budget.sendsPerDay) return `All ${budget.sendsPerDay} sends of 24 hours are spent.`
  const { hours } = budget
  const at = scheduledAt === null ? now : Date.parse(scheduledAt)
  if (hours !== null && !quietAt(at, hours, hours.zone).isQuiet)
    return `It would go out outside of ${hours.from} to ${hours.until} (${hours.zone}).`
  return beyondSegments(budget, asked)
}

function beyondSegments({ segmentIds }: Budget, { act, plan }: Asked): string | undefined {
  if (segmentIds === null) return undefined
  if (act === 'email') return 'The budget is for segments, and this is one contact.'
  if (plan.segments.length === 0) return 'It goes to everybody, and the budget is for certain segments.'
  return plan.segments.every(({ id }) => segmentIds.includes(id))
    ? undefined
    : 'Its audience has a segment that the budget does not have.'
}
