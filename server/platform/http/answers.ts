import { type TSchema, Type } from 'typebox'

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
    requestId: Type.String(),
  },
  { title: 'Problem' },
)

/**
 * Problem answers for a route's `response`, beyond those that follow from the route itself: 400, 401, 403, 404, 413, 415
 * and 503 are documented without being named.
 */
export function problemResponses<const S extends number>(...statuses: S[]): { [status in S]: typeof ProblemBody } {
  return Object.fromEntries(statuses.map((status) => [status, ProblemBody])) as { [status in S]: typeof ProblemBody }
}

/** An answer that is a CSV file. */
export function csvAnswer(description: string): TSchema {
  return { description, content: { 'text/csv': { schema: Type.String() } } } as unknown as TSchema
}
