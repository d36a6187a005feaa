import { numberText } from '../../../lib/format.ts'
import type { AutomationCounts } from '../../../lib/site-types.ts'
import { Link } from '../../../ui/link.tsx'
import { MailNumbers } from '../mail-numbers.tsx'
import classes from './step-numbers.module.css'

type AtStep = { node: string; counts: AutomationCounts | undefined }

/** Who is at a step now, and how many have passed it in the time that is shown. */
export function Numbers({ id, ...at }: AtStep & { id: string }) {
  const own = ofStep(at)
  if (own.length === 0) return null
  const parked = sumOf(own, 'parked')
  return (
    <div className={classes.numbers}>
      <Link to={`/automations/${id}`} search={{ node: at.node }}>
        {numberText(sumOf(own, 'here'))} here
      </Link>
      <Passed {...at} />
      {parked > 0 && <span className={classes.parked}>{numberText(parked)} failed</span>}
      <MailNumbers {...at} />
    </div>
  )
}

/** How many have left a step, by whichever way, in the time that is shown; being taken along into another version is none. */
export function Passed(at: AtStep) {
  const own = ofStep(at)
  const passed = sumOf(own, 'left') - sumOf(own, 'movedOut') + sumOf(own, 'ended')
  return own.length === 0 ? null : <span>{numberText(passed)} passed</span>
}

const PERCENT = 100

/** The part of those who have left a step in the time that is shown who went this way. */
export function WayShare({ way, ...at }: AtStep & { way: string }) {
  const ways = ofStep(at).flatMap((one) => one.ways)
  const all = ways.reduce((sum, one) => sum + (one.way === 'moved' ? 0 : one.count), 0)
  if (all === 0) return null
  const own = ways.reduce((sum, one) => sum + (one.way === way ? one.count : 0), 0)
  return <span className={classes.share}>{Math.round((own / all) * PERCENT)} %</span>
}

export function hereAt(at: AtStep): number {
  return sumOf(ofStep(at), 'here')
}

type Node = AutomationCounts['nodes'][number]

const ofStep = ({ node, counts }: AtStep): Node[] => (counts?.nodes ?? []).filter((one) => one.node === node)

const sumOf = (of: readonly Node[], name: 'here' | 'left' | 'movedOut' | 'ended' | 'parked') =>
  of.reduce((all, one) => all + one[name], 0)
