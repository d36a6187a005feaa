/** Codes of errors that are told apart one by one (PostgreSQL, appendix A); classes of them in `errors.ts`. */
export const SQLSTATE = {
  foreignKeyViolation: '23503',
  uniqueViolation: '23505',
  checkViolation: '23514',
  readOnlyTransaction: '25006',
  /** A statement before it failed. */
  inFailedTransaction: '25P02',
  deadlockDetected: '40P01',
  lockNotAvailable: '55P03',
  duplicateObject: '42710',
  wrongObjectType: '42809',
  insufficientPrivilege: '42501',
  undefinedColumn: '42703',
  undefinedTable: '42P01',
  duplicateTable: '42P07',
  invalidTableDefinition: '42P16',
  invalidObjectDefinition: '42P17',
  objectNotInPrerequisiteState: '55000',
  /** A statement time-out, or cancelled by an operator. */
  queryCanceled: '57014',
} as const
