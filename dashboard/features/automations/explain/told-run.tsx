import type { AutomationExplanation, AutomationRunTrace } from '../../../lib/site-types.ts'
import { Link } from '../../../ui/link.tsx'
import { RelativeTime } from '../../../ui/relative-time.tsx'
import { ToldText } from '../../../ui/told-text.tsx'
import classes from '../automations.module.css'
import { waysOf } from '../flow.ts'
import type { NamesOfVersions } from '../names-of-versions.ts'
import type { StepNames } from '../step-names.ts'
import { StepSeen } from './step-seen.tsx'
import { endedText, movedAt, movedText, movedTo, wentText } from './went-words.ts'

type Props = {
  automationId: string
  run: AutomationRunTrace
  mails: AutomationExplanation['mails']
  names: NamesOfVersions
}

/** One way through an automation, told from the entry to what comes next, or to its end. */
export function ToldRun({ automationId, run, mails, names }: Props) {
  const fates = new Map(mails.map(({ messageId, told }) => [messageId, told]))
  const entry = run.steps.find(({ node }) => node === null)
  const steps = run.steps.filter(({ node }) => node !== null)
  return (
    <ol className={classes.story}>
      <li>
        <Head at={run.enteredAt}>
          Came in{entry?.event ? ` by ${entry.event}` : ''}, in version {entry?.version ?? run.version}
        </Head>
      </li>
      {steps.map((step) => {
        const version = movedTo(run, step)
        const own = names.of(step.version)
        return version === undefined ? (
          <li key={step.visit}>
            <Head at={step.leftAt}>
              <strong>{own.step(step.node ?? '')}</strong>
            </Head>
            <StepSeen step={step} names={own} fates={fates} />
            {/* Why somebody left is told below, as the end. */}
            {!step.way.startsWith('exit:') && <p className={classes.went}>{wentText(own, step)}</p>}
          </li>
        ) : (
          <li key={step.visit}>
            <Head at={movedAt(step)}>{movedText(names.of(version), step, version)}</Head>
          </li>
        )
      })}
      <li data-is="now">
        {run.endedAt === null ? <Now run={run} names={names.of(run.version)} /> : <Ended run={run} />}
      </li>
      <li>
        <Link to={`/automations/${automationId}/runs/${run.id}`}>This way by itself</Link>
      </li>
    </ol>
  )
}

function Head({ at, children }: { at: string; children: React.ReactNode }) {
  return (
    <p className={classes.head}>
      <span className="soft">
        <RelativeTime at={at} absolute />
      </span>
      <span>{children}</span>
    </p>
  )
}

const ENDS: Readonly<Record<string, string>> = {
  completed: 'Came to the end.',
  held_out: 'Was held out, and got nothing.',
  failed: 'Has failed.',
  erased: 'Was erased.',
}

function Ended({ run: { state, reason, endedAt, steps } }: { run: AutomationRunTrace }) {
  const event = steps.at(-1)?.event ?? null
  return (
    <Head at={endedAt ?? ''}>
      {state === 'exited' ? `Left: ${endedText(reason ?? '', event)}.` : (ENDS[state] ?? state)}
    </Head>
  )
}

/** Where somebody stands, until when, and what comes then. */
function Now({ run: { node, state, error, dueAt }, names }: { run: AutomationRunTrace; names: StepNames }) {
  const at = node === null ? undefined : names.node(node)
  const here = node === null ? 'the entry' : names.step(node)
  if (state === 'parked')
    return (
      <p>
        <strong>Failed at “{here}”</strong>: {error} Somebody has to try it again, pass over it, or have them leave.
      </p>
    )
  const ways = at === undefined ? [] : waysOf(at)
  const last = ways.at(-1)
  return (
    <>
      <p>
        <strong>Now at “{here}”</strong>
        {dueAt === null ? (
          ', about to go on.'
        ) : (
          <ToldText>{`, until ${dueAt}${at?.type === 'wait' ? ' at the latest' : ''}.`}</ToldText>
        )}
      </p>
      {at?.type === 'wait' && ways.length > 1 ? (
        <ul className={classes.next}>
          {ways.map(({ way, to }) => (
            <li key={way}>
              {names.way(node ?? '', way)}: {names.step(to)}
            </li>
          ))}
        </ul>
      ) : (
        last && <p>Next: {names.step(last.to)}</p>
      )}
    </>
  )
}
