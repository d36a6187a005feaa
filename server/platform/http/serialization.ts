import fastJsonStringify from 'fast-json-stringify'
import type { FastifySerializerCompiler } from 'fastify'
import { compileAtUse } from '../schema/compile-at-use.ts'

/** Makes the serialiser of one answer, which writes what its schema names and nothing else. */
export const compileSerializer: FastifySerializerCompiler<object> = ({ schema }) => {
  const serializer = compileAtUse(() => fastJsonStringify(schema))
  return (answer: unknown) => serializer()(answer)
}
