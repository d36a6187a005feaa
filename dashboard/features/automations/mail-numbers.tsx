import { numberText, shareText } from '../../lib/format.ts'
import type { AutomationCounts } from '../../lib/site-types.ts'

type Mails = NonNullable<AutomationCounts['nodes'][number]['mails']>

/**
 * What became of the mail of a step, in a line: how much was sent, and how much of it people opened and clicked, each mail once. In a span
 * of time people also open what was sent before: then there are no shares.
 */
export function MailNumbers({ node, counts }: { node: string; counts: AutomationCounts | undefined }) {
  const own = (counts?.nodes ?? []).flatMap((one) => (one.node === node && one.mails ? [one.mails] : []))
  if (own.length === 0) return null
  const sum = (name: keyof Mails) => own.reduce((all, one) => all + one[name], 0)
  const sent = sum('accepted')
  const did = (name: 'opened' | 'clicked') =>
    `${numberText(sum(name))} ${name}${counts?.since === null ? ` (${shareText(sum(name), sent)})` : ''}`
  // A line breaks between numbers, not within one.
  const parts = [`${numberText(sent)} sent`, did('opened'), did('clicked')].map((one) => one.replaceAll(' ', '\u00a0'))
  return <span title="Mails, each once; by people, not machines">{parts.join(', ')}</span>
}
