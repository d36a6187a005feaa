import { useCan } from '../../lib/permissions.ts'
import type { Approval } from '../../lib/site-types.ts'
import { useSite } from '../../lib/use-site.ts'
import { usePathId } from '../../lib/use-url-state.ts'
import { MailFrame } from '../../ui/mail-frame.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Panel } from '../../ui/panel.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { Shown } from '../../ui/states.tsx'
import { ApprovalBadge, askedByText } from './approval-words.tsx'
import classes from './approvals.module.css'
import { Decide } from './decide.tsx'
import { PlanFacts } from './plan-facts.tsx'
import { PlanSteps } from './plan-steps.tsx'

const DECISION_ID = 'decision'

/** An act that an agent asks for, exactly, and then yes or no: beside it, or behind all of it where there is no room. */
export default function ApprovalPage() {
  const can = useCan()
  const id = usePathId('approvalId')
  const mayDecide = ({ status }: Approval) => status === 'waiting' && can('broadcasts:send')
  const read = useSite('GET /approvals/{id}', { params: { id } })
  return (
    <Shown read={read}>
      {(approval) => (
        <>
          <PageHeader
            actions={
              mayDecide(approval) && (
                <a className={`button-link ${classes.toDecision}`} href={`#${DECISION_ID}`}>
                  To your decision
                </a>
              )
            }
            title={approval.plan.name}
            back={{ to: '/approvals', label: 'Approvals' }}
            badge={<ApprovalBadge status={approval.status} />}
          >
            Asked by {askedByText(approval.askedBy)}, <RelativeTime at={approval.createdAt} />.
          </PageHeader>
          <div className={mayDecide(approval) ? classes.decided : undefined}>
            <div className={classes.parts}>
              <PlanFacts approval={approval} />
              {approval.plan.definition !== null && <PlanSteps definition={JSON.parse(approval.plan.definition)} />}
              <PlanMails approval={approval} />
            </div>
            {mayDecide(approval) && (
              <div id={DECISION_ID} className={classes.decision}>
                <Decide approval={approval} />
              </div>
            )}
          </div>
        </>
      )}
    </Shown>
  )
}

function PlanMails({ approval: { act, plan } }: { approval: Approval }) {
  const mails = plan.preview === null ? plan.mails : [{ node: '', ...plan.preview }]
  const title = act === 'email' ? 'As they get it' : 'As its readers get it'
  return mails.map(({ node, subject, html }) => (
    <Panel key={node} title={node === '' ? title : 'A mail of it, as its readers get it'} note={subject} flush>
      <MailFrame html={html} title={node === '' ? 'The mail' : `The mail: ${subject}`} />
    </Panel>
  ))
}
