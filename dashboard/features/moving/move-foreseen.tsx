import { countText, namesText, numberText } from '../../lib/format.ts'
import { sentence } from '../../lib/sentence.ts'
import type { Move } from '../../lib/site-types.ts'
import { Fact, Facts, Panel } from '../../ui/panel.tsx'
import classes from './moving.module.css'

const NAMES_SHOWN = 30

/** Everything that would come along, and what would not, and why. */
export function MoveForeseen({ move }: { move: Move }) {
  const { people, optOuts, tags, fields, templates, broadcasts, leftOut } = move.foreseen
  const unfit = people.total - people.withConsent - people.withoutConsent
  return (
    <>
      <Panel title={move.state === 'reading' ? 'Found so far' : 'What was found'}>
        <Facts>
          <Fact name="People">
            {numberText(people.total)}: {numberText(people.withConsent)} with consent,{' '}
            {numberText(people.withoutConsent)} without
            {unfit > 0 && `, ${numberText(unfit)} left out`}
          </Fact>
          <Fact name="Must not be mailed">
            {numberText(optOuts.unsubscribed)} unsubscribed, {numberText(optOuts.bounce)} bounced,{' '}
            {numberText(optOuts.complaint)} complained, {numberText(optOuts.manual)} blocked
          </Fact>
          <Names name="Tags" names={tags} />
          <Names name="Fields" names={fields} />
          <Names name="Templates" names={templates} />
          <Names name="Drafts" names={broadcasts} />
        </Facts>
      </Panel>
      {leftOut.length > 0 && (
        <Panel
          title="What is left out"
          note={countText(
            leftOut.reduce((sum, { count }) => sum + count, 0),
            'thing',
          )}
        >
          <ul className={classes.left}>
            {leftOut.map(({ why, count, examples }) => (
              <li key={why}>
                {sentence(why)} {count > 1 && <span className="soft numbers">{countText(count, 'time')}</span>}
                <br />
                <span className="soft">
                  {examples.join('; ')}
                  {count > examples.length && '; …'}
                </span>
              </li>
            ))}
          </ul>
        </Panel>
      )}
    </>
  )
}

function Names({ name, names }: { name: string; names: readonly string[] }) {
  if (names.length === 0) return <Fact name={name}>none</Fact>
  const more = names.length - NAMES_SHOWN
  return (
    <Fact name={name}>
      <p className={classes.names}>
        {namesText(names.slice(0, NAMES_SHOWN))}
        {more > 0 && ` and ${numberText(more)} more`}
      </p>
    </Fact>
  )
}
