import type { Queryable } from '../db/transaction.ts'

export type HeldReason = 'cluster' | 'behind' | 'told' | 'copy'
export type Held = { since: string; reason: HeldReason }

/** How far the life of an installation is known to have come. */
export type Epoch = { epoch: number; epochId: string; mark: string }

export type Installation = Epoch & {
  /** Null before the first start. */
  id: string | null
  /** Whether it is in the cluster and the database where it was found before. */
  isInPlace: boolean
  /** A standby shows an older state without anything having been restored. */
  isStandby: boolean
  held: Held | null
  /** Whether a journal was done again on it since it was held. */
  isReapplied: boolean
  /** Where the sequences stood when it was held for the last time, before they were moved; empty if it never was. */
  sequences: Readonly<Record<string, string>>
}

type Row = Epoch & {
  id: string | null
  isInPlace: boolean | null
  isReapplied: boolean
  sequences: string | null
  isStandby: boolean
  heldSince: string | null
  heldReason: HeldReason | null
}

const INSTALLATION = `select i.id, i.epoch, i.epoch_id as "epochId", i.mark, i.held_since as "heldSince",
    i.held_reason as "heldReason", i.reapplied_epoch is not distinct from i.epoch_id as "isReapplied", i.sequences, pg_is_in_recovery() as "isStandby",
    i.system_identifier = cluster.system_identifier and i.database_oid = here.oid as "isInPlace"
  from installation i, pg_control_system() cluster, pg_database here
  where here.datname = current_database()`

export async function readInstallation(db: Queryable): Promise<Installation> {
  const { rows } = await db.query<Row>({ name: 'read_installation', text: INSTALLATION })
  return installationOf(rows[0]!)
}

/** The same, for the one transaction that may change it. */
export async function lockInstallation(db: Queryable): Promise<Installation> {
  const { rows } = await db.query<Row>(`${INSTALLATION} for update of i`)
  return installationOf(rows[0]!)
}

function installationOf({ heldSince, heldReason, isInPlace, sequences, ...row }: Row): Installation {
  const held = heldSince === null || heldReason === null ? null : { since: heldSince, reason: heldReason }
  const before = sequences === null ? {} : (JSON.parse(sequences) as Installation['sequences'])
  return { ...row, isInPlace: isInPlace === true, held, sequences: before }
}
