import { type Static, Type } from 'typebox'
import { answer, closed, Id, mayBeAbsent, nullable, oneOf, Timestamp } from '../../platform/schema/schemas.ts'
import { UPSERT_MODES } from '../contacts/schemas.ts'
import { COLUMN_FORMATS, type ColumnFormat } from './column-format.ts'
import { DELIMITERS } from './csv-shape.ts'
import { TARGETS } from './mapping.ts'

/** A file in a JSON body is held in memory, and is as long as a body may be. */
const CSV_JSON_CHARS_MAX = 1_000_000

const IMPORT_STATES = ['uploaded', 'running', 'done', 'failed', 'canceled'] as const

const count = (description: string) => Type.Integer({ description, examples: [0] })
const maybeTime = (description: string) => nullable({ ...Timestamp, description })

const Mapping = Type.Record(Type.String(), Type.String({ maxLength: 200 }), {
  description: `Where the values of each column go, by the column's name: ${TARGETS.join(', ')}, custom:<key> or ignore. Columns that are not named are ignored.`,
  examples: [{ 'Email Address': 'email', Plan: 'custom:plan', TAGS: 'tags' }],
})

const Formats = Type.Record(Type.String(), oneOf(COLUMN_FORMATS), {
  description:
    'How the values of columns are written that go to custom fields or times, by the column’s name, where it is not as ' +
    'found, or as the type of the field has it. A value that is not written so is text.',
  examples: [{ Birthday: 'date_dmy' }],
})

export const Import = answer('ContactImport', {
  id: Id,
  state: oneOf(IMPORT_STATES, {
    description: 'uploaded: waits to be started. failed: see `failure`; rows before it are imported.',
  }),
  fileName: nullable(Type.String({ description: 'As the upload called it.', examples: ['subscribed_members.csv'] })),
  bytes: Type.Integer({ description: 'Size of the file as it was sent, decompressed.', examples: [52_000] }),
  encoding: oneOf(['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'], {
    description: 'The encoding the file was read in.',
  }),
  delimiter: oneOf(DELIMITERS, { description: 'The character that separates its columns.' }),
  columns: Type.Array(
    Type.Object({
      name: Type.String({ description: 'From the header row; a repeated name gets a number.' }),
      samples: Type.Array(Type.String(), {
        description: 'First values of the column.',
        examples: [['ada@example.com']],
      }),
      format: oneOf(COLUMN_FORMATS, { description: 'How its values are written, as far as the first thousand tell.' }),
      isSure: Type.Boolean({
        description: 'false: dates could be read the other way round as well. Look at `readings`.',
      }),
      readings: Type.Unsafe<Partial<Record<ColumnFormat, string[]>>>({
        type: 'object',
        additionalProperties: { type: 'array', items: { type: 'string' } },
        description:
          'The samples as each format that fits most of them reads them, by its name; one that it does not fit stays.',
      }),
    }),
  ),
  suggestedMapping: Mapping,
  mapping: Type.Union([Mapping, Type.Null()], { description: 'The mapping it was started with.' }),
  tags: Type.Array(Type.String(), { description: 'Given to every contact of the file.' }),
  topicIds: Type.Array(Id, { description: 'Subscribed to for every contact of the file that agreed.' }),
  consent: nullable(oneOf(['confirmed', 'unconfirmed'], { description: 'The consent it was started with.' })),
  mode: nullable(oneOf(UPSERT_MODES, { description: 'The mode it was started with.' })),
  formats: Type.Union([Formats, Type.Null()], { description: 'The formats it was started with, text left out.' }),
  rows: Type.Object(
    {
      total: count('Rows of the file, header and empty lines not counted; estimated until all are read.'),
      read: count('Rows that are done.'),
      created: count('Rows that became new contacts.'),
      updated: count('Rows that found their contact and changed its fields.'),
      unchanged: count('Rows that found their contact with these fields; tags and consent are set all the same.'),
      failed: count('Rows that were not imported, see `/errors`.'),
      skipped: count('Rows without any value.'),
    },
    { description: 'Progress.' },
  ),
  failure: nullable(Type.String({ description: 'Why it failed as a whole.' })),
  createdAt: Timestamp,
  startedAt: maybeTime('When it was started.'),
  endedAt: maybeTime('When it was done, failed or canceled. The file is gone from then on.'),
  updatedAt: Timestamp,
})
export type Import = Static<typeof Import>

export const ImportJsonBody = closed(
  'ContactImportBody',
  {
    csv: Type.String({
      minLength: 1,
      maxLength: CSV_JSON_CHARS_MAX,
      description: 'The file, at most what a body holds.',
      examples: ['email,firstName\nada@example.com,Ada\n'],
    }),
    fileName: Type.Optional(nullable(Type.String({ maxLength: 200 }))),
  },
  { examples: [{ csv: 'email,firstName\nhedy@example.com,Hedy\n' }] },
)

export const StartBody = mayBeAbsent(
  closed(
    'ContactImportStartBody',
    {
      mapping: Type.Optional(Mapping),
      tags: Type.Optional(
        Type.Array(Type.String({ maxLength: 200 }), {
          maxItems: 20,
          description: 'Tags for every contact of the file.',
        }),
      ),
      topicIds: Type.Optional(
        Type.Array(Id, {
          maxItems: 20,
          description:
            'Topics that every contact of the file is subscribed to, as far as it agreed and has not left them, the newsletters or everything.',
        }),
      ),
      consent: Type.Optional(
        oneOf(['confirmed', 'unconfirmed'], {
          description:
            'Whether everybody in the file has agreed to marketing mail, where the row itself says nothing. unconfirmed when absent.',
        }),
      ),
      mode: Type.Optional(
        oneOf(UPSERT_MODES, {
          description:
            'fill, when absent: of a contact that is there, core fields that are blank get a value. overwrite: values of ' +
            'the file replace what is there; an empty one says nothing.',
        }),
      ),
      formats: Type.Optional(Formats),
    },
    { examples: [{ tags: ['Imported'], consent: 'unconfirmed' }] },
  ),
)
export type StartBody = Static<typeof StartBody>

export const ImportError = answer('ContactImportError', {
  line: Type.Integer({ description: 'Line of the file on which the row begins; the header is line 1.', examples: [7] }),
  error: Type.String({ examples: ['email must be an email address'] }),
  values: Type.Array(Type.String(), { description: 'The row as it stood in the file.' }),
})
