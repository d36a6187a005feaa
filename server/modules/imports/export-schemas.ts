import { type Static, Type } from 'typebox'
import { answer, closed, Id, mayBeAbsent, nullable, oneOf, Timestamp } from '../../platform/schema/schemas.ts'
import { contactFilters } from '../contacts/schemas.ts'
import { EXPORT_COLUMNS } from './export-columns.ts'

const EXPORT_COLUMNS_MAX = 300

export const ExportBody = mayBeAbsent(
  closed(
    'ContactExportBody',
    {
      filter: Type.Optional(
        closed(contactFilters, {
          description: 'The contacts to export, as in the list of contacts; everybody when absent.',
        }),
      ),
      columns: Type.Optional(
        Type.Array(Type.String({ maxLength: 200 }), {
          minItems: 1,
          maxItems: EXPORT_COLUMNS_MAX,
          description: `Of ${EXPORT_COLUMNS.join(', ')} and custom:<key>; all of them when absent.`,
          examples: [['email', 'firstName', 'custom:plan']],
        }),
      ),
    },
    { examples: [{ columns: ['email', 'firstName'] }] },
  ),
)

export const Export = answer('ContactExport', {
  id: Id,
  state: oneOf(['running', 'done', 'failed', 'expired'], {
    description: 'done: the file can be downloaded. expired: it could be, and is gone.',
  }),
  filter: closed(contactFilters),
  columns: Type.Array(Type.String()),
  rows: Type.Object({
    total: Type.Integer({ description: 'Contacts to be written; until the filter is applied, all of the workspace.' }),
    written: Type.Integer({ description: 'Contacts that are in the file.' }),
  }),
  bytes: Type.Integer({ description: 'Size of the file so far.' }),
  failure: nullable(Type.String({ description: 'Why it failed.' })),
  createdAt: Timestamp,
  endedAt: nullable(Timestamp),
  expiresAt: nullable({ ...Timestamp, description: 'When the file goes.' }),
  updatedAt: Timestamp,
})
export type Export = Static<typeof Export>
