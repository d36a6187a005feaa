import { countText } from '../../../lib/format.ts'
import { AccountedBar } from '../../../ui/accounted-bar.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { ContactLink } from '../../contacts/contact-link.tsx'
import type { Report } from './replay-words.ts'
import classes from './time-machine.module.css'

type Compared = NonNullable<Report['compared']>

const KINDS = [
  { of: 'more', name: 'More mail', tone: 'warn' },
  { of: 'less', name: 'Less mail', tone: 'info' },
  { of: 'other', name: 'Other mail', tone: 'machine' },
  { of: 'same', name: 'The same', tone: 'good' },
] as const

/** Everybody who is mailed by the draft or by the version in force, by what is other for them. */
export function ComparedPeople({ compared, version }: { compared: Compared; version: number | null }) {
  const total = KINDS.reduce((sum, { of }) => sum + compared[of].people, 0)
  if (total === 0) return null
  const examples = KINDS.flatMap(({ of }) =>
    of === 'same' ? [] : compared[of].examples.map((one) => ({ of, ...one })),
  )
  return (
    <Panel title="Beside the version in force" note={`Version ${version}`}>
      <AccountedBar
        label="People who are mailed"
        total={total}
        parts={KINDS.map(({ of, name, tone }) => ({ name, tone, count: compared[of].people }))}
      />
      {examples.length > 0 && (
        <ul className={classes.examples} aria-label="Examples">
          {examples.map(({ of, contactId, draft, live }) => (
            <li key={`${of} ${contactId}`}>
              <ContactLink contactId={contactId} />
              <span className="soft">
                {countText(draft, 'mail')} instead of {live}
                {of === 'other' && ', of other content'}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}
