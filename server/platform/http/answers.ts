import { type TNull, type TSchema, Type } from 'typebox'

/** RFC 9457, as every answer of 400 and above is written. */
export const ProblemBody = Type.Object(
  {
    type: Type.String({ description: 'Where the problem is explained.' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.Optional(Type.String()),
    code: Type.String({ description: 'Stable: branch on this.' }),
    errors: Type.Optional(
      Type.Array(Type.Object({ pointer: Type.String({ description: 'RFC 6901 pointer.' }), detail: Type.String() })),
    ),
    count: Type.Optional(Type.Integer({ description: 'Of `audience-changed`: how many it has now.' })),
    usedBy: Type.Optional(
      Type.Array(Type.Object({ type: Type.String(), id: Type.String(), name: Type.String() }), {
        description: 'Of `in-use`: what uses it.',
      }),
    ),
    requestId: Type.String(),
  },
  { title: 'Problem' },
)

/** An answer without a body. */
export function nothing(description = 'Done.'): TNull {
  return Type.Null({ description })
}

/** An answer that is a CSV file. */
export function csvAnswer(description: string): TSchema {
  return fileAnswer('text/csv', description)
}

/** An answer that is a file of a media type. */
export function fileAnswer(mediaType: string, description: string): TSchema {
  return { description, content: { [mediaType]: { schema: Type.String() } } }
}
