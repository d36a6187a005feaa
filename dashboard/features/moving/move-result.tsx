import { countText, numberText } from '../../lib/format.ts'
import type { Move } from '../../lib/site-types.ts'
import { Link } from '../../ui/link.tsx'
import { Fact, Facts, Panel } from '../../ui/panel.tsx'
import classes from './moving.module.css'

const STAGES = {
  opt_outs: 'Whoever must not be mailed is listed first.',
  people: 'People are coming in.',
  templates: 'Templates are being made.',
  broadcasts: 'Drafts are being made.',
} as const

/** Everything that has come by now. */
export function MoveResult({ move }: { move: Move }) {
  const { people, importing, optOuts, templates, broadcasts, leftOut, leftOutTotal } = move.moved
  return (
    <>
      <Panel
        title={move.state === 'done' ? 'What came' : 'What has come so far'}
        note={move.state === 'running' && move.stage !== null ? STAGES[move.stage] : undefined}
      >
        <Facts>
          <Fact name="Must not be mailed">
            {numberText(optOuts.added)} listed, {numberText(optOuts.known)} known before
          </Fact>
          {people.map(({ importId, file, created, updated, unchanged, failed }) => (
            <Fact key={importId} name="People">
              <Link to={`/contacts/imports/${importId}`}>
                {numberText(created)} new, {numberText(updated)} completed, {numberText(unchanged)} known,{' '}
                {numberText(failed)} failed
              </Link>
              <div className="soft">{file}</div>
            </Fact>
          ))}
          {importing !== null && (
            <Fact name="People">
              <Link to={`/contacts/imports/${importing}`}>An import runs</Link>
            </Fact>
          )}
          <Fact name="Templates">
            {numberText(templates.created)} made, {numberText(templates.known)} there before
          </Fact>
          <Fact name="Drafts">
            {numberText(broadcasts.created)} made, {numberText(broadcasts.known)} there before
          </Fact>
        </Facts>
      </Panel>
      {leftOutTotal > 0 && (
        <Panel title="What could not be made" note={countText(leftOutTotal, 'thing')}>
          <ul className={classes.left}>
            {leftOut.map(({ what, why }) => (
              <li key={`${what} ${why}`}>
                {what}: {why}
              </li>
            ))}
          </ul>
        </Panel>
      )}
    </>
  )
}
