/**
 * SQL, for `messages m` or a row like it: why the message must not be sent now, null when it may. `suppressed:<reason>`
 * or `skipped:<reason>` (message-states.ts), the weightiest first. The one rule for who is mailed: it is asked when the
 * message is made, when it is claimed, and once more in the statement after which it goes out.
 *
 * A test goes to whoever its sender names; transactional mail heeds suppressions alone; a request for confirmation also
 * heeds who wants nothing at all.
 */
export const REFUSAL = `case
  when m.surface = 'test' then null
  when m.destination = '' then case when m.contact_id is null then 'skipped:contact_gone' else 'skipped:no_email' end
  else coalesce(
    (select 'suppressed:' || s.reason from suppressions s
      where s.workspace_id = m.workspace_id and s.destination = m.destination),
    case when m.surface <> 'transactional' then
      (select 'skipped:unsubscribed_everything' from unsubscribes u
        where u.workspace_id = m.workspace_id and u.destination = m.destination and u.sending_source = 'everything') end,
    case when m.surface = 'broadcast' then coalesce(
      (select 'skipped:unsubscribed_source' from unsubscribes u
        where u.workspace_id = m.workspace_id and u.destination = m.destination and u.sending_source = 'broadcasts'),
      (select 'skipped:contact_gone' where not exists (
        select from contacts c where c.workspace_id = m.workspace_id and c.id = m.contact_id)),
      (select 'skipped:unconfirmed' from sending_settings t
        where t.workspace_id = m.workspace_id and t.double_opt_in and not exists (
          select from contact_consents k where k.workspace_id = m.workspace_id and k.contact_id = m.contact_id))) end)
  end`

/** How long a message is tried, from when it is due (RFC 5321 section 4.5.4.1 asks for four to five days at most). */
export const EXPIRY_HOURS = 72
