import type { Proof } from '../../catalogue/proofs.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import type { Aliases } from '../contacts/aliases.ts'

export type Person = Aliases & { id: string }

const PERSON = 'c.id, c.subject_id as "subjectId", c.email, c.phone'

/** Contacts that have one of the aliases, locked in the order of their ids. */
export async function peopleWith(tx: Transaction, workspaceId: string, aliases: Aliases): Promise<Person[]> {
  const { rows } = await tx.query<Person>({
    name: 'people_with_aliases',
    text: `select ${PERSON} from contacts c where c.workspace_id = $1
      and (c.subject_id = $2 or c.email = $3 or c.phone = $4) order by c.id for no key update`,
    values: [workspaceId, aliases.subjectId, aliases.email, aliases.phone],
  })
  return rows
}

/** A contact, and how well it is proven that a visitor is of it. */
export type BoundPerson = Person & { proof: Proof }

/** The contact that a visitor is bound to. */
export async function personOfVisitor(
  tx: Transaction,
  workspaceId: string,
  visitorId: string,
): Promise<BoundPerson | undefined> {
  const { rows } = await tx.query<BoundPerson>({
    name: 'person_of_visitor',
    text: `select ${PERSON}, v.proof from visitors v join contacts c on c.workspace_id = v.workspace_id and c.id = v.contact_id
      where v.workspace_id = $1 and v.visitor_id = $2`,
    values: [workspaceId, visitorId],
  })
  return rows[0]
}
