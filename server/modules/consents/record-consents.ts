import { int8Array, textArray } from '../../platform/db/arrays.ts'
import type { Transaction } from '../../platform/db/transaction.ts'

/** When and from where somebody asked for mail and confirmed it, as far as it is known; times in RFC 3339. */
export type ConsentFacts = {
  optedInAt?: string
  optInIp?: string
  confirmedAt?: string
  confirmIp?: string
}

/** How we know of a consent. Only the first was seen by ourselves, and nothing replaces it. */
export type Provenance = 'double_opt_in' | 'grandfathered' | 'imported'

/** Where consents come from: the import that tells of them, or the form by which somebody has agreed to its words. */
export type ConsentOrigin = { importId: string } | { form: { id: string; wording: string } }

/** The consent that `c` and `excluded` of one contact become: nothing known is overwritten, and seen confirmed wins. */
export const FILL_BLANKS = `provenance = case when excluded.provenance = 'double_opt_in' then excluded.provenance else c.provenance end,
  opted_in_at = coalesce(c.opted_in_at, excluded.opted_in_at),
  opt_in_ip = coalesce(c.opt_in_ip, excluded.opt_in_ip),
  confirmed_at = coalesce(c.confirmed_at, excluded.confirmed_at),
  confirm_ip = coalesce(c.confirm_ip, excluded.confirm_ip),
  updated_at = now()`

/**
 * Records that contacts agreed to marketing mail, one entry a contact. Of what is known already nothing is overwritten:
 * blanks are filled, and a consent that we have seen confirmed is one from then on. Changes stand in the contacts' histories, with the
 * import that tells of them, if one does; so does each time that somebody agrees to the words of a form, whatever was known.
 */
export async function recordConsents(
  tx: Transaction,
  workspaceId: string,
  consents: readonly { contactId: string; provenance: Provenance; facts: ConsentFacts }[],
  origin?: ConsentOrigin,
): Promise<void> {
  if (consents.length === 0) return
  const importId = origin !== undefined && 'importId' in origin ? origin.importId : null
  const form = origin !== undefined && 'form' in origin ? origin.form : null
  const column = (fact: keyof ConsentFacts) => textArray(consents.map(({ facts }) => facts[fact] ?? null))
  await tx.query({
    name: 'record_consents',
    text: `with given as materialized (
        select contact_id, provenance, opted_in_at::timestamptz as opted_in_at, opt_in_ip::inet as opt_in_ip,
          confirmed_at::timestamptz as confirmed_at, confirm_ip::inet as confirm_ip
        from unnest($2::int8[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
          as g (contact_id, provenance, opted_in_at, opt_in_ip, confirmed_at, confirm_ip)
      ), recorded as (
        insert into contact_consents as c
          (workspace_id, contact_id, provenance, opted_in_at, opt_in_ip, confirmed_at, confirm_ip)
        select $1, contact_id, provenance, opted_in_at, opt_in_ip, confirmed_at, confirm_ip from given order by contact_id
        on conflict (workspace_id, contact_id) do update set ${FILL_BLANKS}
        where (c.provenance <> 'double_opt_in' and excluded.provenance = 'double_opt_in')
          or (c.opted_in_at is null and excluded.opted_in_at is not null)
          or (c.opt_in_ip is null and excluded.opt_in_ip is not null)
          or (c.confirmed_at is null and excluded.confirmed_at is not null)
          or (c.confirm_ip is null and excluded.confirm_ip is not null)
        returning contact_id
      )
      insert into consent_changes (workspace_id, contact_id, change, by_whom, ip, import_id, form_id, wording)
      select $1, contact_id, case provenance when 'double_opt_in' then 'confirmed' else provenance end,
        case provenance when 'double_opt_in' then 'person' when 'imported' then 'workspace' else 'system' end,
        coalesce(confirm_ip, opt_in_ip), $8, $9, $10
      from given where $9::int8 is not null or contact_id in (select contact_id from recorded) order by contact_id`,
    values: [
      workspaceId,
      int8Array(consents.map(({ contactId }) => contactId)),
      textArray(consents.map(({ provenance }) => provenance)),
      column('optedInAt'),
      column('optInIp'),
      column('confirmedAt'),
      column('confirmIp'),
      importId,
      form?.id ?? null,
      form?.wording ?? null,
    ],
  })
}
