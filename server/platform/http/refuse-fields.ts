import type { preValidationHookHandler, RouteOptions } from 'fastify'
import { closed, mayBeAbsent } from '../schema/schemas.ts'
import { compileValidator } from './validation.ts'

const READS = new Set(['GET', 'HEAD', 'OPTIONS'])

type OperationSchema = { operationId?: string; hide?: boolean; body?: unknown }

/** Whether a route is a described operation that has no use for a body. One that is not described may read its own. */
export function takesNoBody({ method, schema }: RouteOptions): boolean {
  const { operationId, hide, body } = (schema ?? {}) as OperationSchema
  const isRead = [method].flat().every((one) => READS.has(one))
  return operationId !== undefined && hide !== true && body === undefined && !isRead
}

/** Refuses the fields of a body that nobody would look at, by name as those that a schema does not know: none at all, and `{}`, are fine. */
export function refuseFields({ method, url }: RouteOptions): preValidationHookHandler {
  const validate = compileValidator({ schema: mayBeAbsent(closed({})), httpPart: 'body', method, url } as never)
  return (request, _reply, next) => {
    const verdict = validate(request.body ?? null) as { error?: Error }
    next(verdict.error)
  }
}
