import type { ReactNode } from 'react'
import { countText, namesText } from '../../lib/format.ts'
import type { Approval } from '../../lib/site-types.ts'
import { Link } from '../../ui/link.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Fact, Facts, Panel } from '../../ui/panel.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { ACTS } from './approval-words.tsx'
import classes from './approvals.module.css'

/** Everything that whoever decides has to know, the people first. */
export function PlanFacts({ approval }: { approval: Approval }) {
  const { act, plan, note, budgetReason } = approval
  const { through } = ACTS[act]
  return (
    <Panel title={act === 'automation' ? 'What would come into force' : 'What would be sent'}>
      <div className={classes.facts}>
        {note !== '' && (
          <Notice>
            The agent’s own words, which prove nothing: <q>{note}</q>
          </Notice>
        )}
        {budgetReason !== null && <Notice>Its token has a budget, which does not cover this. {budgetReason}</Notice>}
        <Facts>
          {act !== 'automation' && <Fact name="Subject">{plan.subject}</Fact>}
          <Fact name="From">
            {[plan.fromName, plan.fromEmail].filter(Boolean).join(', ') || 'as the integration says'}
          </Fact>
          <Fact name="To">{peopleOf(approval)}</Fact>
          {act === 'broadcast' && <Audience approval={approval} />}
          {act !== 'automation' && plan.people.length > 0 && <Fact name="Among them">{plan.people.join(', ')}</Fact>}
          {act === 'automation' && plan.segments.length > 0 && (
            <Fact name="Asks about">{namesText(plan.segments.map(({ name }) => name))}</Fact>
          )}
          <Fact name="When">
            {approval.scheduledAt === null ? (
              'As soon as it is approved'
            ) : (
              <RelativeTime at={approval.scheduledAt} absolute />
            )}
          </Fact>
          {through !== undefined && <Fact name="Through">{through}</Fact>}
          <Fact name="Expires">
            <RelativeTime at={approval.expiresAt} absolute />
          </Fact>
          {plan.warnings.length > 0 && <Fact name="Hints">{plan.warnings.join(' ')}</Fact>}
          <Decided approval={approval} />
          <Fact name={ACTS[act].kind}>
            <Link to={ACTS[act].path(approval)}>{act === 'email' ? 'The contact' : plan.name}</Link>
          </Fact>
        </Facts>
      </div>
    </Panel>
  )
}

function peopleOf({ act, recipientsCount, plan }: Approval): ReactNode {
  if (act === 'automation') return 'Everybody who comes in, from then on'
  if (act === 'email') return 'One contact'
  const got = plan.sendCount !== null && `, of whom ${countText(plan.sendCount, 'gets it', 'get it')}`
  return (
    <>
      {countText(recipientsCount, 'person', 'people')}
      {got}
    </>
  )
}

function Audience({ approval: { plan } }: { approval: Approval }) {
  const names = (rules: Approval['plan']['segments']) => namesText(rules.map(({ name }) => name))
  return (
    <Fact name="Who">
      {plan.segments.length === 0 ? 'Everybody with an address' : names(plan.segments)}
      {plan.excludedSegments.length > 0 && `, without ${names(plan.excludedSegments)}`}
    </Fact>
  )
}

function Decided({ approval: { decidedAt, decidedBy, byBudget } }: { approval: Approval }) {
  if (decidedAt === null) return null
  const by = byBudget ? 'within the budget of its token' : `by ${decidedBy?.name ?? 'somebody'}`
  return (
    <Fact name="Decided">
      {by}, <RelativeTime at={decidedAt} />
    </Fact>
  )
}
