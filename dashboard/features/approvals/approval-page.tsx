import { countText } from '../../lib/format.ts'
import { useCan } from '../../lib/permissions.ts'
import type { Approval } from '../../lib/site-types.ts'
import { useSite } from '../../lib/use-site.ts'
import { usePathId } from '../../lib/use-url-state.ts'
import { Link } from '../../ui/link.tsx'
import { MailFrame } from '../../ui/mail-frame.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Fact, Facts, Panel } from '../../ui/panel.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { Shown } from '../../ui/states.tsx'
import { ApprovalBadge, askedByText } from './approval-words.tsx'
import { Decide } from './decide.tsx'

/** A send that an agent asks for, exactly, and yes or no. */
export default function ApprovalPage() {
  const can = useCan()
  const id = usePathId('approvalId')
  const read = useSite('GET /approvals/{id}', { params: { id } })
  return (
    <Shown read={read}>
      {(approval) => (
        <>
          <PageHeader
            title={approval.plan.name}
            back={{ to: '/approvals', label: 'Approvals' }}
            badge={<ApprovalBadge status={approval.status} />}
          >
            Asked by {askedByText(approval.askedBy)}, <RelativeTime at={approval.createdAt} />.
          </PageHeader>
          {approval.status === 'waiting' && can('broadcasts:send') && <Decide approval={approval} />}
          <PlanFacts approval={approval} />
          <Panel title="As its readers get it" note={approval.plan.preview.subject}>
            <MailFrame html={approval.plan.preview.html} title="The mail" />
          </Panel>
        </>
      )}
    </Shown>
  )
}

function PlanFacts({ approval }: { approval: Approval }) {
  const { plan, note, decidedBy, decidedAt } = approval
  return (
    <Panel title="What would be sent">
      {note !== '' && (
        <Notice>
          The agent’s own words, which prove nothing: <q>{note}</q>
        </Notice>
      )}
      <Facts>
        <Fact name="Subject">{plan.subject}</Fact>
        <Fact name="From">
          {[plan.fromName, plan.fromEmail].filter(Boolean).join(', ') || 'as the integration says'}
        </Fact>
        <Fact name="To">
          {countText(approval.recipientsCount, 'person', 'people')}
          {plan.sendCount !== null && `, of whom ${countText(plan.sendCount, 'gets it', 'get it')}`}
        </Fact>
        <Fact name="Who">
          {plan.segments.length === 0 ? 'Everybody with an address' : plan.segments.map(({ name }) => name).join(', ')}
          {plan.excludedSegments.length > 0 && `, without ${plan.excludedSegments.map(({ name }) => name).join(', ')}`}
        </Fact>
        <Fact name="Among them">{plan.people.join(', ')}</Fact>
        <Fact name="When">
          {approval.scheduledAt === null ? 'As soon as it is approved' : <RelativeTime at={approval.scheduledAt} />}
        </Fact>
        <Fact name="Expires">
          <RelativeTime at={approval.expiresAt} />
        </Fact>
        {plan.warnings.length > 0 && <Fact name="Hints">{plan.warnings.join(' ')}</Fact>}
        {decidedAt !== null && (
          <Fact name="Decided">
            by {decidedBy?.name ?? 'somebody'}, <RelativeTime at={decidedAt} />
          </Fact>
        )}
        <Fact name="Broadcast">
          <Link to={`/broadcasts/${approval.broadcastId}`}>{plan.name}</Link>
        </Fact>
      </Facts>
    </Panel>
  )
}
