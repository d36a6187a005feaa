import { type RawBuilder, sql } from 'kysely'
import { PROOFS, type Proof } from '../../catalogue/proofs.ts'
import { textArray } from '../../platform/db/arrays.ts'

/** Proofs that may be asked for; `none` asks for nothing. */
export const MIN_PROOFS = PROOFS.filter((proof) => proof !== 'none')

/** Whether it is proven as well as is asked for whose an event is. Events of servers, and of the system itself, have no proof and need none. */
export function isProvenTo(least: Proof, proof: Proof | null): boolean {
  return proof === null || PROOFS.indexOf(proof) >= PROOFS.indexOf(least)
}

/** The same, of an event `e` in SQL. */
export function provenTo(least: Proof): RawBuilder<unknown> {
  const enough = PROOFS.slice(PROOFS.indexOf(least))
  return sql`(e.proof is null or e.proof = any (cast(${textArray(enough)} as text[])))`
}
