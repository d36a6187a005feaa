import { inTransaction } from '../../platform/db/transaction.ts'
import { CHAIN_COLUMNS, type Chain, judgeChain } from './chain-mac.ts'
import type { ChainDeps } from './seal-audit.ts'

/** A step: a quarter of a second at 93,000 entries a second measured. */
const ENTRIES_A_STEP = 25_000
/** Of a step, on a busy machine. */
const STEP_TIMEOUT_MS = 10_000

/** Faults of a chain: an entry is gone, is not the one that was sealed, was added, or the chain as a whole is not ours. */
export const CHAIN_FAULTS = ['missing', 'changed', 'added', 'resealed', 'key_unknown'] as const
export type ChainFault = (typeof CHAIN_FAULTS)[number]

export type ChainState = {
  intact: boolean
  sealedEntries: number
  unsealedEntries: number
  /** Taken by retention from the beginning of the log. */
  prunedEntries: number
  /** Hash over all sealed entries; kept elsewhere, it shows later that none of them was exchanged. */
  seal: string
  /** The first place that does not hold, and what is wrong there. */
  brokenAt: number | null
  fault: ChainFault | null
  /** The place that was come to, where there was no time for the rest; absent where there was. */
  nextCursor?: string
}

const EMPTY_SEAL = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

/** `cursor`: the place behind which to begin, as the answer before has it. `forMs`: the time for it, all that it takes when absent. */
type Verifying = { cursor?: string | undefined; forMs?: number; stepEntries?: number }

/**
 * Computes a workspace's chain anew and compares, in steps that each see the log at one moment: what is sealed or pruned between two of
 * them is no fault.
 */
export async function verifyAudit(
  { sql, keys }: ChainDeps,
  workspaceId: string,
  { cursor, forMs = Number.POSITIVE_INFINITY, stepEntries = ENTRIES_A_STEP }: Verifying = {},
): Promise<ChainState> {
  const untilMs = performance.now() + forMs
  for (let after = cursor ?? null; ; ) {
    const statement = { ...VERIFY_STATEMENT, values: [workspaceId, after, stepEntries] }
    const { rows } = await inTransaction(sql, workspaceId, (tx) => tx.query<Row>(statement))
    const row = rows[0]!
    const isDone = row.at !== null || row.looked < stepEntries
    if (isDone || performance.now() >= untilMs) return stateOf(row, { keys, isDone })
    after = row.reached
  }
}

function stateOf(row: Row, { keys, isDone }: Pick<ChainDeps, 'keys'> & { isDone: boolean }): ChainState {
  const chain = row.sequence === null ? undefined : (row as Chain)
  const end = Number(chain?.sequence ?? 0)
  const mark = isDone ? judgeChain(chain, keys) : 'right'
  const ofMark = { at: end, fault: mark === 'unknown_key' ? 'key_unknown' : 'resealed' } as const
  const found = row.at === null ? undefined : { at: Number(row.at), fault: row.fault as ChainFault }
  const broken = found ?? (mark === 'right' ? undefined : ofMark)
  const pruned = Number(chain?.anchorSequence ?? 0)
  return {
    intact: broken === undefined,
    sealedEntries: end - pruned,
    unsealedEntries: Number(row.unsealed),
    prunedEntries: pruned,
    seal: chain?.seal ?? EMPTY_SEAL,
    brokenAt: broken?.at ?? null,
    fault: broken?.fault ?? null,
    ...(isDone ? {} : { nextCursor: row.reached! }),
  }
}

/**
 * The first fault of a step in the order of the chain: of $3 entries at most behind the place $2, all before which hold. Entries without a
 * chain row are added ones: somebody took it away. Fewer than $3 are the end.
 */
const VERIFY_STATEMENT = {
  name: 'verify_audit_step',
  query_timeout: STEP_TIMEOUT_MS,
  text: `with chain as (
           select ${CHAIN_COLUMNS} from audit_chains where workspace_id = $1
         ), start as (
           select greatest(coalesce(chain."anchorSequence", 0), coalesce($2::bigint, 0)) as sequence,
             case when $2::bigint > coalesce(chain."anchorSequence", 0)
               then (select seal from audit_entries where workspace_id = $1 and sequence = $2::bigint)
               else coalesce(decode(chain."anchorSeal", 'hex'), sha256('')) end as seal,
             coalesce(chain.sequence, 0) as "end"
           from (select) one left join chain on true
         ), step as materialized (
           select e as entry, e.sequence, e.seal from audit_entries e
           where e.workspace_id = $1 and e.sequence is not null and e.sequence > coalesce($2::bigint, -9223372036854775808)
           order by e.sequence limit $3
         ), walked as (
           select e.sequence, e.seal, start.sequence + row_number() over walk as place,
             e.seal is distinct from
               audit_seal(coalesce(lag(e.seal) over walk, start.seal), e.sequence, e.entry) as is_wrong
           from step e cross join start
           window walk as (order by e.sequence)
         ), reached as (
           select count(*)::int as looked, max(sequence) as place, coalesce(max(sequence), 0) as sequence from step
         ), faults as (
           select least(place, walked.sequence) as at, case when walked.sequence > start."end" then 'added'
               when walked.sequence > place then 'missing' when walked.sequence < place then 'added' else 'changed' end as fault
           from walked cross join start where is_wrong or walked.sequence <> place or walked.sequence > start."end"
           union all
           select greatest(reached.sequence, start.sequence) + 1, 'missing'
           from start cross join reached
           where reached.looked < $3 and start."end" > greatest(reached.sequence, start.sequence)
           union all
           select chain.sequence, 'changed' from chain join walked on walked.sequence = chain.sequence
           where encode(walked.seal, 'hex') <> chain.seal
         )
         select chain.*, (select count(*) from audit_entries where workspace_id = $1 and seal is null) as unsealed,
           first.at, first.fault, reached.looked, reached.place as reached
         from reached left join chain on true
           left join (select at, fault from faults order by at, fault limit 1) first on true`,
}

type Row = { [C in keyof Chain]: Chain[C] | null } & {
  unsealed: string
  at: string | null
  fault: string | null
  /** Entries of the step, and the place of its last. */
  looked: number
  reached: string | null
}
