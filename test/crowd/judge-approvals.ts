import { BUDGET_MAX } from './approval-acts.ts'
import type { CrowdWorld } from './world.ts'

const { sends: SENDS_MAX, people: PEOPLE_MAX, peoplePerSend: PEOPLE_PER_SEND } = BUDGET_MAX

/** Faults of approvals, each a statement that finds those that are not as they have to be. */
const APPROVALS: Record<string, string> = {
  'what goes out is what was approved, at that time or later, and to so many people': `
    select b.id, b.status, b.subject, a.id as approval, a.status as approved, a.plan ->> 'subject' as planned, a.recipients_count,
      b.recipients_total from broadcasts b
    left join approvals a on a.workspace_id = b.workspace_id and a.id = b.approval_id
    where b.name = 'Asked' and b.recipients_total is not null and exists (select from messages where source_kind = 'broadcast' and source_id = b.id)
      and (a.id is null or a.status <> 'approved' or a.plan ->> 'subject' <> b.subject or a.broadcast_id <> b.id
        or a.decided_at > b.started_at or abs(a.recipients_count - b.recipients_total) > 0.05 * a.recipients_count)`,
  'nothing that needs an approval stands somewhere without one': `select b.id, b.status from broadcasts b where b.name = 'Asked'
    and b.status in ('scheduled', 'sending', 'paused', 'sent') and b.approval_id is null`,
  'a decision is in the audit log once': `select a.id, a.status, e.actions from approvals a
    left join lateral (select array_agg(action order by id) as actions from audit_entries
      where target_type = 'approval' and target_id = a.id::text) e on true
    where e.actions is distinct from case a.status when 'approved' then array['approval.ask', 'approval.approve']
      when 'rejected' then array['approval.ask', 'approval.reject'] else array['approval.ask'] end
      and e.actions is distinct from case a.status when 'approved' then array['approval.approve'] when 'rejected' then array['approval.reject'] end`,
  'each approval of a broadcast starts or schedules it once': `select * from (select broadcast_id as id, count(*) as approved from approvals
      where status = 'approved' and act = 'broadcast' group by 1) a
    full join (select target_id::bigint as id, count(*) as begun from audit_entries where action in ('broadcast.send', 'broadcast.schedule')
      and target_name = 'Asked' group by 1) e using (id) where approved is distinct from begun`,
  'what was approved of an automation came into force as it was': `select a.id, a.automation_id, a.decided_at from approvals a
    where a.status = 'approved' and a.act = 'automation' and not exists (select from automation_versions v
      where v.automation_id = a.automation_id and v.definition = a.plan ->> 'definition' and v.published_at <= now())`,
  'a budget is spent on what goes out': `select a.id, a.recipients_count, b.recipients_total, b.status from approvals a
    left join broadcasts b on b.workspace_id = a.workspace_id and b.id = a.broadcast_id and b.approval_id = a.id
    where a.by_budget and a.act = 'broadcast' and (b.id is null and a.scheduled_at is null
      or b.recipients_total is not null and b.recipients_total > a.recipients_count * 1.05)`,
  'budgets are not overdrawn': `select count(*) as sends, sum(recipients_count) as people from approvals where by_budget
    having count(*) > ${SENDS_MAX} or sum(recipients_count) > ${PEOPLE_MAX} or max(recipients_count) > ${PEOPLE_PER_SEND}`,
  'each approval of a mail is one mail': `select * from (select template_id, count(*) as approved from approvals
      where status = 'approved' and act = 'email' group by 1) a
    left join (select template_id, count(*) as mails from emails group by 1) e using (template_id) where approved is distinct from mails`,
}

const SUBJECT = /^Subject: ((?:Asked|Version) .*)$/m

/** Faults of what people were asked for: nothing goes out without the yes to exactly that. */
export async function judgeApprovals({ instance, sink }: CrowdWorld): Promise<string[]> {
  const faults: string[] = []
  for (const [what, statement] of Object.entries(APPROVALS)) {
    const rows = await instance.sql(statement)
    faults.push(...rows.slice(0, 3).map((row) => `not so: ${what}: ${JSON.stringify(row)}`))
  }
  const rows = await instance.sql<{ subject: string }>(
    `select plan ->> 'subject' as subject from approvals where status = 'approved'`,
  )
  const approved = new Set(rows.map(({ subject }) => subject))
  for (const { text, to } of sink.mails) {
    const subject = SUBJECT.exec(text)?.[1]
    if (subject !== undefined && !approved.has(subject)) faults.push(`${to} got "${subject}", which nobody approved`)
  }
  return faults
}
