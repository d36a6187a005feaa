import { randomUUID } from 'node:crypto'

export type Session = {
  query(text: string): Promise<{ rows: { backend: number; mark: string | null; user: string }[] }>
}

const FACTS = `select pg_backend_pid() as backend, current_setting('postroom.session', true) as mark, current_user as user`

/**
 * Whether a connection has one session of the server for itself from one transaction to the next, with what was set in it.
 * A pooler in transaction mode gives each transaction whichever session is free, so prepared statements, settings, locks and
 * notifications of ours would be somebody else's. `other` has a transaction open meanwhile, which takes what is free first.
 */
export async function keepsSession(connection: Session, other: Session): Promise<boolean> {
  const mark = randomUUID()
  await connection.query(`set postroom.session = '${mark}'`)
  const before = await factsIn(connection)
  await other.query('begin')
  try {
    await other.query(FACTS)
    const after = await factsIn(connection)
    return before.mark === mark && after.mark === mark && after.backend === before.backend && after.user === before.user
  } finally {
    await other.query('commit')
    await connection.query('reset postroom.session')
  }
}

async function factsIn(connection: Session) {
  await connection.query('begin')
  const { rows } = await connection.query(FACTS)
  await connection.query('commit')
  return rows[0]!
}
