/** The manner in which a migration is run, and the programs that go on with what it makes, as its head says. */
export type MigrationManner = {
  /** Outside of a transaction, statement by statement. */
  outside: boolean
  /** Programs that know the migrations up to this number go on with this one; undefined: none do. */
  keeps: number | undefined
  /** Hashes of texts that the file had before, which do the same in another manner and may have run. */
  formerly: string[]
}

const OUTSIDE = /^-- outside a transaction$/m
const KEEPS = /^-- keeps (\d{4})$/m
const FORMERLY = /^-- formerly ([0-9a-f]{64})$/gm
/** The line between what locks a table and what goes through its rows. */
const BESIDE = /^-- beside others$/m
/** Statements that PostgreSQL takes outside of a transaction alone, and that may be repeated. */
const STATEMENT =
  /^(?:create (?:unique )?index concurrently if not exists|drop index concurrently if exists) ([a-z_]+)\b[^;]*$/

/** The comments in front of the first statement. */
export function headOf(sql: string): string {
  return /^(?:--.*\n|\s*\n)*/.exec(sql)![0]
}

export function mannerOf(sql: string): MigrationManner {
  const head = headOf(sql)
  const keeps = KEEPS.exec(head)?.[1]
  const formerly = [...head.matchAll(FORMERLY)].map(([, hash]) => hash!)
  return { outside: OUTSIDE.test(head), keeps: keeps === undefined ? undefined : Number(keeps), formerly }
}

/** A migration's text in front of the line `-- beside others`, and below it where it has one. */
export function partsOf(sql: string): { first: string; beside: string | undefined } {
  const [first = '', beside] = sql.split(BESIDE, 2)
  return { first, beside }
}

/** The statements of a migration outside a transaction, and the index that each makes or drops. Throws for any other. */
export function outsideStatements(sql: string): { text: string; index: string }[] {
  const texts = sql.replaceAll(/^--.*$/gm, '').split(';')
  return texts.flatMap((part) => {
    const text = part.trim()
    if (text === '') return []
    const index = STATEMENT.exec(text)?.[1]
    if (index === undefined) throw new Error(`a migration outside a transaction cannot have: ${text.slice(0, 80)}`)
    return [{ text, index }]
  })
}
