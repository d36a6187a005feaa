import { numberText, shareText } from '../../lib/format.ts'
import type { SendingDomainRates } from '../../lib/site-types.ts'
import classes from './domains.module.css'

type Rate = SendingDomainRates['bounceRate']
type Line = { share: number; of: string; words: string }

/** Shares from which providers begin to refuse mail; `of` is what they are a share of. */
export const BOUNCES: Line = {
  share: 0.05,
  of: 'sent',
  words: 'Providers begin to refuse mail at 5 %.',
}
export const COMPLAINTS: Line = {
  share: 0.001,
  of: 'accepted',
  words: 'Providers begin to refuse mail at 0.1 %.',
}

/** A share of a domain's mail; beyond its line it says so, in words too. */
export function RateOf({ rate, line }: { rate: Rate | undefined; line: Line }) {
  if (rate === undefined || rate.rate === null) return <span className="soft none">–</span>
  const isBeyond = rate.rate >= line.share
  const whole = `${numberText(rate.numerator)} of ${numberText(rate.denominator)} ${line.of}`
  return (
    <span className={isBeyond ? classes.beyond : undefined} title={`${whole}. ${line.words}`}>
      {shareText(rate.numerator, rate.denominator)}
      {isBeyond && <span className="visually-hidden">, too many</span>}
    </span>
  )
}
