import { numberText } from '../../lib/format.ts'
import { lazyPart, usePartsHere } from '../../lib/load-part.ts'
import { useCan } from '../../lib/permissions.ts'
import type { Automation, AutomationCounts } from '../../lib/site-types.ts'
import { areKnown, useOnceKnown } from '../../lib/use-known.ts'
import { useSite } from '../../lib/use-site.ts'
import { usePathId } from '../../lib/use-url-state.ts'
import { AsCurl } from '../../ui/as-curl.tsx'
import { HistoryIcon, PencilIcon } from '../../ui/icons.tsx'
import { ButtonLink } from '../../ui/link.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Stat, Stats } from '../../ui/stat.tsx'
import { Loading, Shown } from '../../ui/states.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { AutomationActs } from './automation-acts.tsx'
import { AutomationOutline } from './automation-outline.tsx'
import { AutomationRuns } from './automation-runs.tsx'
import { refusalText, STATUSES } from './automation-words.ts'
import classes from './automations.module.css'
import { BackfillNotice, useBackfill } from './backfill-notice.tsx'
import { enterText } from './builder/enter-words.ts'
import { PausedNotice } from './paused-notice.tsx'
import { usePeopleShown } from './people-shown.ts'
import { useReferenceNames } from './reference-names.ts'
import { useResults } from './results/use-results.ts'
import { useStepNames } from './step-names.ts'
import { usePublished } from './step-of-version.tsx'

const AutomationResultsPanel = lazyPart(
  () => import('./results/automation-results.tsx'),
  <Loading rows={6} label="What it has reached is loading" />,
)
const ExplainPerson = lazyPart(() => import('./explain/explain-person.tsx'))
const PARTS = [AutomationResultsPanel, ExplainPerson]
const POLL_MS = 3_000

/** An automation: where everybody is in it, who they are, and what may be done about it. */
export default function AutomationPage() {
  const id = usePathId('automationId')
  const automation = useSite('GET /automations/{id}', { params: { id } }, { pollMs: POLL_MS })
  return <Shown read={automation}>{(found) => <Whole automation={found} />}</Shown>
}

function Whole({ automation }: { automation: Automation }) {
  const { id, name, status, definition, draftChanged, publishedVersion } = automation
  const params = { id }
  const can = useCan()
  const referenceName = useReferenceNames(definition.enter)
  const people = usePeopleShown(id, POLL_MS)
  const counts = useSite('GET /automations/{id}/counts', { params }, { pollMs: POLL_MS })
  const backfill = useBackfill(id, publishedVersion !== null)
  const results = useResults(automation, people.version, counts.data?.entered)
  const published = usePublished(id, people.version || publishedVersion)
  const areReadsKnown = people.isKnown && results.isKnown && areKnown(counts, backfill, published)
  const isWhole = useOnceKnown(usePartsHere(PARTS) && areReadsKnown)
  return (
    <>
      <PageHeader
        title={name}
        back={{ to: '/automations', label: 'Automations' }}
        badge={<StatusBadge tone={STATUSES[status].tone}>{STATUSES[status].words}</StatusBadge>}
        actions={
          <>
            <AsCurl operation="GET /automations/{id}/counts" params={params} />
            <ButtonLink to={`/automations/${id}/time-machine`} icon={HistoryIcon}>
              Time machine
            </ButtonLink>
            {can('automations:write') && status !== 'stopped' && (
              <ButtonLink to={`/automations/${id}/edit`} icon={PencilIcon}>
                Edit
              </ButtonLink>
            )}
            <AutomationActs automation={automation} inside={counts.data?.inside ?? 0} />
          </>
        }
      >
        {STATUSES[status].meaning} People come in {enterText(definition.enter, referenceName)}.
      </PageHeader>
      {isWhole ? (
        <div className={classes.sections}>
          {draftChanged && publishedVersion !== null && (
            <Notice>
              What is being written differs from version {publishedVersion}, which is in force and shown here.
            </Notice>
          )}
          <PausedNotice automation={automation} />
          <BackfillNotice id={id} read={backfill} />
          <Shown read={counts} rows={6}>
            {(now) => (
              <>
                {now.troubles.map((trouble) => (
                  <Notice key={trouble} tone="bad">
                    {trouble}
                  </Notice>
                ))}
                <Halted automation={automation} counts={now} />
                <Sums counts={now} />
              </>
            )}
          </Shown>
          {publishedVersion !== null && (
            <AutomationResultsPanel id={id} read={results} version={people.version} show={people.show} />
          )}
          {people.counts && <AutomationOutline automation={automation} people={people} counts={people.counts} />}
          {can('contacts:read') && <ExplainPerson id={id} />}
          <AutomationRuns id={id} version={publishedVersion} />
        </div>
      ) : (
        <Loading rows={8} />
      )}
    </>
  )
}

/** Steps at which too many have failed. */
function Halted({ automation, counts: { nodes } }: { automation: Automation; counts: AutomationCounts }) {
  const names = useStepNames(automation.id, automation.publishedVersion)
  const halted = [...new Set(nodes.filter(({ isHalted }) => isHalted).map(({ node }) => node))]
  if (halted.length === 0) return null
  return (
    <Notice tone="bad">
      Too many have failed at {halted.map((node) => `“${names.step(node)}”`).join(', ')}: whoever comes there waits
      untried. Mend what is wrong, then retry those who failed, or publish: both let people through again.
    </Notice>
  )
}

function Sums({ counts: { entered, inside, heldOut, refused, nodes } }: { counts: AutomationCounts }) {
  const parked = nodes.reduce((sum, node) => sum + node.parked, 0)
  const notIn = refused.reduce((sum, { count }) => sum + count, 0)
  return (
    <Panel title="People" flush>
      <Stats>
        <Stat label="Came in" value={numberText(entered)}>
          {heldOut > 0 && `${numberText(heldOut)} of them held out`}
        </Stat>
        <Stat label="In it now" value={numberText(inside)}>
          {parked > 0 ? `${numberText(parked)} of them failed and wait for you` : 'None has failed'}
        </Stat>
        <Stat label="Are through, or have left" value={numberText(entered - heldOut - inside)} />
        <Stat label="Did not come in" value={numberText(notIn)}>
          {refused.map(({ reason, count }) => `${numberText(count)}: ${refusalText(reason)}`).join('; ')}
        </Stat>
      </Stats>
    </Panel>
  )
}
