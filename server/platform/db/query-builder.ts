import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'

/**
 * Builds statements whose shape depends on the request, and runs none: `.compile()` and `statementOf` give what
 * `queryInScope` and transactions take. Statements of fixed shape are plain named SQL.
 */
export function createQueryBuilder<Tables>(): Kysely<Tables> {
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
}

/** A compiled query in the driver's form; the function that builds it says what row it answers with. */
export function statementOf(query: { compile(): { sql: string; parameters: readonly unknown[] } }) {
  const { sql, parameters } = query.compile()
  return { text: sql, values: [...parameters] }
}
